import PromiseContexts
import PromiseTesting
import TestSupport

// A cache looks for a value in one handler and stores the request for it in another. Two callers may look before either
// of them has stored its request.

private final class Cache: Sendable {
  let requests = Log<String>()
  private let known = Locked<[String: Promise<String>]>([:])

  /// Loads a value. The bug is that the result of the lookup may be out of date when the next handler runs.
  func value(for key: String) -> Promise<String> {
    Promise.run { [known] in known.withLock { $0[key] } }
      .then { [self] found in
        if let found { return found }
        let loading = load(key)
        known.withLock { $0[key] = loading }
        return loading
      }
  }

  /// Looks for the value and stores the request under one lock.
  func valueOnce(for key: String) -> Promise<String> {
    known.withLock { known in
      if let found = known[key] { return found }
      let loading = load(key)
      known[key] = loading
      return loading
    }
  }

  private func load(_ key: String) -> Promise<String> {
    requests.append(key)
    return Promise.run { "value of \(key)" }
  }
}

extension OrderBug {
  static let doubleStart = OrderBug(name: "cache that starts its request twice", limit: 100) { world in
    try ask(Cache(), Cache.value, in: world)
  } right: { world in
    try ask(Cache(), Cache.valueOnce, in: world)
  }

  private static func ask(
    _ cache: Cache, _ value: @escaping @Sendable (Cache) -> (String) -> Promise<String>, in world: TestWorld
  ) throws {
    let first = value(cache)("a")
    let second = Promise.run { "a" }.map { $0 }.then { key in value(cache)(key) }
    world.runUntilIdle()
    world.expect(first.isFulfilled && second.isFulfilled)
    world.expect(cache.requests.entries.count == 1, "one request for both")
  }
}
