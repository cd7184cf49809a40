// Promises that are created on a context.
import PromiseContexts

@MainActor final class Screen { var total = 0 }
actor Account { var balance = 0 }

func promises(_ screen: Screen, _ account: Account) -> [Promise<Int>] {
  [
    Promise.run { 1 },
    Promise.run(on: .pool) { 1 },
    Promise.run(on: .main) { screen.total },
    Promise.run(isolatedTo: account) { $0.balance },
    Promise(on: .pool) { $0.fulfill(1) },
    Promise(on: .main) { $0.fulfill(screen.total) },
    Promise(isolatedTo: account) { account, deferred in deferred.fulfill(account.balance) },
  ]
}

func views(_ screen: Screen, _ promise: Promise<Int>) async throws -> Int {
  let view: some PromiseView<Int> = promise.on(.main).tap { screen.total = $0 }
  view.cancel()
  return try await view.value
}
