import TestSupport
import Testing

/// A pool of one thread shows the order in which it takes handlers. No handler here blocks, so the pool adds no thread.
@Suite("The order of handlers on one thread of the pool", .bounded) struct PoolOrderTests {
  @Test("The next handler of a chain runs before handlers that wait, and one that a handler starts runs behind them")
  func chain() async throws {
    try await expect(["first", "second", "waiting"]) { attempt in
      let first = attempt.start.promise.map(on: attempt.pool, attempt.handler("first"))
      let second = first.map(on: attempt.pool, attempt.handler("second"))
      return [second, attempt.start.promise.map(on: attempt.pool, attempt.handler("waiting"))]
    }
    try await expect(["first", "waiting", "started"]) { attempt in
      let started = attempt.start.promise.then(on: attempt.pool) {
        attempt.log.append("first")
        return Promise.run(on: attempt.pool, attempt.handler("started"))
      }
      return [started, attempt.start.promise.map(on: attempt.pool, attempt.handler("waiting"))]
    }
  }

  @Test("Of two separately scheduled handlers of a settlement, the first runs next and the second waits its turn")
  func twoNext() async throws {
    try await expect(["first", "next", "waiting", "other"]) { attempt in
      // Has no identity, so it passes each job on separately.
      let passing = CallingContext(attempt.pool) {}
      let first = attempt.start.promise.map(on: attempt.pool, attempt.handler("first"))
      let next = first.map(on: passing, attempt.handler("next"))
      let other = first.map(on: passing, attempt.handler("other"))
      return [next, other, attempt.start.promise.map(on: attempt.pool, attempt.handler("waiting"))]
    }
  }

  @Test("After 64 consecutive handlers of a chain the next handler waits its turn, and 64 more follow it")
  func turns() async throws {
    let expected = [numbers(1...65), ["waiting"], numbers(66...130), ["later"], numbers(131...140)]
    try await expect(expected.flatMap { $0 }) { attempt in
      var chain = attempt.start.promise
      for number in 1...140 {
        chain = chain.map(on: attempt.pool) {
          attempt.log.append("\(number)")
          // This handler comes from the queue, because 64 handlers ran consecutively after the first.
          if number == 66 {
            Promise.run(on: attempt.pool, attempt.handler("later")).onSettled(on: attempt.pool) { _ in }
          }
        }
      }
      return [chain, attempt.start.promise.map(on: attempt.pool, attempt.handler("waiting"))]
    }
  }
}

/// The parts of one attempt.
private struct Attempt: Sendable {
  let pool = PoolContext(width: 1)
  /// The owner of the start. Handlers that are attached to its promise are scheduled as one batch.
  let start = Deferred<Void>()
  let log = Log<String>()

  func handler(_ name: String) -> @Sendable () -> Void { { [log] in log.append(name) } }
}

/// Expects handlers to run in the given order.
///
/// If the system stops the thread of the pool for some milliseconds between two handlers, the watcher returns the next
/// handler to the queue. So another order is a failure only if it comes ten times.
private func expect(
  _ order: [String], sourceLocation: SourceLocation = #_sourceLocation,
  of attach: (Attempt) -> [Promise<Void>]
) async throws {
  var entries: [String] = []
  for _ in 0..<10 where entries != order {
    let attempt = Attempt()
    let promises = attach(attempt)
    attempt.start.fulfill()
    for promise in promises { try await promise.value }
    entries = attempt.log.entries
  }
  #expect(entries == order, sourceLocation: sourceLocation)
}

private func numbers(_ range: ClosedRange<Int>) -> [String] { range.map { "\($0)" } }
