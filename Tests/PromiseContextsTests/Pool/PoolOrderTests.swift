import TestSupport
import Testing

/// A pool of one thread shows the order in which it takes handlers. No handler here blocks, so the pool adds no thread.
@Suite("The order of handlers on one thread of the pool", .bounded) struct PoolOrderTests {
  @Test("The next handler of a chain runs before handlers that wait, and one that a handler starts runs behind them")
  func chain() async throws {
    try await expect(["first", "second", "waiting"]) { turn in
      let first = turn.start.promise.map(on: turn.pool, turn.handler("first"))
      let second = first.map(on: turn.pool, turn.handler("second"))
      return [second, turn.start.promise.map(on: turn.pool, turn.handler("waiting"))]
    }
    try await expect(["first", "waiting", "started"]) { turn in
      let started = turn.start.promise.then(on: turn.pool) {
        turn.log.append("first")
        return Promise.run(on: turn.pool, turn.handler("started"))
      }
      return [started, turn.start.promise.map(on: turn.pool, turn.handler("waiting"))]
    }
  }

  @Test("Of two separately scheduled handlers of a settlement, the first runs next and the second waits its turn")
  func twoNext() async throws {
    try await expect(["first", "next", "waiting", "other"]) { turn in
      // Has no identity, so it passes each job on separately.
      let passing = CallingContext(turn.pool) {}
      let first = turn.start.promise.map(on: turn.pool, turn.handler("first"))
      let next = first.map(on: passing, turn.handler("next"))
      let other = first.map(on: passing, turn.handler("other"))
      return [next, other, turn.start.promise.map(on: turn.pool, turn.handler("waiting"))]
    }
  }

  @Test("After 64 consecutive handlers of a chain the next handler waits its turn, and 64 more follow it")
  func turns() async throws {
    let expected = [numbers(1...65), ["waiting"], numbers(66...130), ["later"], numbers(131...140)]
    try await expect(expected.flatMap { $0 }) { turn in
      var chain = turn.start.promise
      for number in 1...140 {
        chain = chain.map(on: turn.pool) {
          turn.log.append("\(number)")
          // This handler comes from the queue, because 64 handlers ran consecutively after the first.
          if number == 66 {
            Promise.run(on: turn.pool, turn.handler("later")).onSettled(on: turn.pool) { _ in }
          }
        }
      }
      return [chain, turn.start.promise.map(on: turn.pool, turn.handler("waiting"))]
    }
  }
}

/// The parts of one attempt.
private struct Turn: Sendable {
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
  of attach: (Turn) -> [Promise<Void>]
) async throws {
  var entries: [String] = []
  for _ in 0..<10 where entries != order {
    let turn = Turn()
    let promises = attach(turn)
    turn.start.fulfill()
    for promise in promises { try await promise.value }
    entries = turn.log.entries
  }
  #expect(entries == order, sourceLocation: sourceLocation)
}

private func numbers(_ range: ClosedRange<Int>) -> [String] { range.map { "\($0)" } }
