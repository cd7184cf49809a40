// `Promise.task` runs in the isolation of its caller, and may access state of that isolation.
import PromiseContexts

nonisolated struct Page: Sendable { var title = "" }
nonisolated final class Cache { var hits = 0 }
nonisolated func load(_ number: Int) async throws -> Page { Page() }

nonisolated func plain(_ number: Int) -> Promise<Page> { Promise.task { try await load(number) } }

// The task is the only user of the cache, so the cache is sent to it.
nonisolated func sent() -> Promise<Int> {
  let cache = Cache()
  return .task {
    cache.hits += 1
    return cache.hits
  }
}

@MainActor final class Screen {
  var title = ""
  func show(_ number: Int) -> Promise<Void> {
    .task(priority: .userInitiated) {
      let page = try await load(number)
      self.title = page.title
    }
  }
  func implicit() -> Promise<String> {
    .task {
      title += "!"
      return title
    }
  }
}

actor Account {
  var balance = 0
  let cache = Cache()
  func withdraw(_ amount: Int) -> Promise<Int> {
    .task {
      self.balance -= amount
      self.cache.hits += 1
      return self.balance
    }
  }
}

nonisolated func elsewhere(_ screen: Screen) -> Promise<String> {
  Promise.task { @MainActor in screen.title }
}

nonisolated func awaited(_ account: Account) async throws -> Int {
  try await Promise.task { await account.balance }.value
}
