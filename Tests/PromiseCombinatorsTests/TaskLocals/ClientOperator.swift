import PromiseCombinators
import TestSupport
import Testing

/// Work of a client that an operator begins several times. It logs the client's values that each call sees.
final class ClientWork: Sendable {
  /// Occupies a place of a gate until the client's work waits for the place.
  let holder = Deferred<Int>()
  let owners = (0..<3).map { _ in Deferred<Int>() }
  let seen = Log<String>()

  /// The closure of an operator.
  func begin() -> Promise<Int> { seen.append(Client.seen, returning: owners[seen.entries.count - 1].promise) }

  /// The closure of an operator that passes an element or a resource to it.
  func step(_: Int) -> Promise<Int> { begin() }

  /// The async closure of an operator. It compares the values before and after a suspension.
  func beginAsync() async throws -> Int {
    let number = seen.entries.count
    let before = Client.seen
    seen.append(before)
    defer { if Client.seen != before { seen.append("\(Client.seen) after a suspension") } }
    return try await owners[number].promise.value
  }
}

/// An operator that calls the closure of a client, perhaps on the thread of another client.
struct ClientOperator: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The number of times that the closure is called.
  let count: Int
  /// Whether the promises of the closure are to be rejected.
  let fails: Bool
  /// Calls the operator, whose closure runs on the context.
  let start: @Sendable (ClientWork, any ExecutionContext) -> AnyPromise

  init(
    _ name: String, count: Int = 1, fails: Bool = false,
    start: @escaping @Sendable (ClientWork, any ExecutionContext) -> AnyPromise
  ) { (testDescription, self.count, self.fails, self.start) = (name, count, fails, start) }

  /// Calls the operator for a client, and runs all other code on behalf of a stranger. Returns the values that the
  /// calls of the client's closure have seen.
  func run() throws -> [String] {
    try TestWorld.run { world in
      let work = ClientWork()
      let result = Client.run(as: "client") { start(work, .task) }
      Client.run(as: "stranger") {
        world.advance(by: .seconds(1))
        work.holder.fulfill(0)
        for owner in work.owners {
          world.advance(by: .seconds(1))
          if fails { owner.reject(TestError(1)) } else { owner.fulfill(1) }
          // Some operators do not use all promises, so reading the result handles their rejections.
          _ = owner.promise.result
        }
        world.advance(by: .seconds(1))
      }
      world.expect(!result.isPending)
      if fails { _ = (result as? Promise<Int>)?.result }
      return work.seen.entries
    }
  }

  /// Returns the log that is expected if each call sees the same values.
  func seen(_ seen: String) -> [String] { Array(repeating: seen, count: count) }
}

extension ClientOperator {
  /// The operators that take a closure that returns a promise.
  static let synchronous = gates + sequences + lazyStarts

  /// The operators that take an async closure.
  static let asynchronous = asyncGates + asyncSequences
}
