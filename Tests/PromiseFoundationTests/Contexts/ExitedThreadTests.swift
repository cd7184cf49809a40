import PromiseFoundation
import Testing

/// A handler that ends its thread with `Thread.exit()` never returns. These tests check its promise and the handlers
/// after it.
@Suite("Handlers that exit their thread", .bounded) struct ExitedThreadTests {
  private static func exit() -> Never {
    Thread.exit()
    fatalError("the thread went on")
  }

  private func expectEnded<Value>(_ promise: Promise<Value>, _ thread: String = "exiting") async {
    let error = await promise.awaitedError
    #expect((error as? ThreadEndedError)?.threadName == thread, "\(String(describing: error))")
  }

  @Test("A handler of each kind that exits its thread rejects its promise", .rule("6.2"))
  func kinds() async throws {
    func context() -> ThreadContext { ThreadContext(named: "exiting") }
    let fulfilled = Promise.fulfilled(1)
    let rejected = Promise<Int>.rejected(TestError(1))
    await expectEnded(fulfilled.map(on: context()) { _ -> Int in Self.exit() })
    await expectEnded(fulfilled.then(on: context()) { _ -> Promise<Int> in Self.exit() })
    await expectEnded(fulfilled.tap(on: context()) { _ in Self.exit() })
    await expectEnded(fulfilled.always(on: context()) { _ in Self.exit() })
    await expectEnded(rejected.catch(on: context()) { _ in Self.exit() })
    await expectEnded(rejected.recover(on: context()) { _ -> Int in Self.exit() })
    await expectEnded(Promise<Int>.run(on: context()) { Self.exit() })
    await expectEnded(Promise<Int>(on: context()) { _ in Self.exit() })
  }

  @Test("Handlers that wait behind a handler that exits its thread are rejected", .rule("6.2"))
  func queue() async throws {
    let context = ThreadContext(named: "exiting")
    let ran = Log<Int>()
    let deferred = Deferred<Int>()
    let before = deferred.promise.map(on: context) { $0 }
    let exiting = deferred.promise.map(on: context) { _ -> Int in Self.exit() }
    // The first handler runs in the same turn as the exiting handler, and the second in the next turn.
    let sameTurn = deferred.promise.tap(on: context) { ran.append($0) }
    let nextTurn = before.map(on: context) { $0 }
    let observed = Deferred<Void>()
    sameTurn.onRejected(on: .pool) { _ in observed.fulfill() }
    deferred.fulfill(1)
    #expect(try await before.value == 1)
    await expectEnded(exiting)
    await expectEnded(sameTurn)
    await expectEnded(nextTurn)
    // Handlers that are scheduled later are rejected too.
    await expectEnded(Promise.fulfilled(2).map(on: context) { $0 })
    try await observed.promise.value
    #expect(ran.entries.isEmpty)
  }

  @Test("A handler that exits inside a run loop of another handler rejects both", .rule("6.2"))
  func nested() async throws {
    let context = ThreadContext(named: "exiting")
    let inner = Deferred<Int>()
    let exiting = inner.promise.map(on: context) { _ -> Int in Self.exit() }
    let outer = Promise.fulfilled(1).map(on: context) { value -> Int in
      inner.fulfill(2)
      while true { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
    }
    await expectEnded(exiting)
    await expectEnded(outer)
  }

  @Test(
    "A handler that exits affects neither the promise that it observes nor those of handlers that have returned",
    .rule("1.1"), arguments: [false, true])
  func returned(exitsWhileAdopting: Bool) async throws {
    let context = ThreadContext(named: "exiting")
    let deferred = Deferred<Int>()
    let adopted = Deferred<Int>()
    let adopting = deferred.promise.then(on: context) { _ in adopted.promise }
    if exitsWhileAdopting {
      adopted.report(progress: 0.5)
      adopting.onProgress(on: CallingContext { if Thread.current.name == "exiting" { Self.exit() } }) { _ in }
    } else {
      deferred.promise.onFulfilled(on: context) { _ in Self.exit() }
    }
    let behind = deferred.promise.map(on: context) { $0 }
    deferred.fulfill(1)
    await expectEnded(behind)
    #expect(try await deferred.promise.value == 1)
    #expect(adopting.isPending)
    adopted.fulfill(2)
    #expect(try await adopting.value == 2)
  }

  @Test("A promise that was cancelled while its handler exits stays cancelled", .rule("1.1"))
  func cancelled() async throws {
    let context = ThreadContext(named: "exiting")
    let running = Deferred<Void>()
    let go = Gate()
    let source = Promise.fulfilled(1)
    let exiting = source.map(on: context) { _ -> Int in
      running.fulfill()
      go.wait()
      Self.exit()
    }
    try await running.promise.value
    exiting.cancel()
    let behind = source.map(on: context) { $0 }
    go.open()
    await expectEnded(behind)
    #expect(exiting.isCancelled)
  }

  @Test("A handler that exits a thread started by the client rejects its promise and those behind it", .rule("6.2"))
  func ownThread() async throws {
    let context = try await ThreadProbe.startThread(named: "own") { RunLoop.current.run() }
    let exiting = Promise.fulfilled(1).map(on: context) { _ -> Int in Self.exit() }
    let behind = Promise.fulfilled(1).map(on: context) { $0 }
    await expectEnded(exiting, "own")
    await expectEnded(behind, "own")
  }
}
