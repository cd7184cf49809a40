import PromiseCombinators
import TestSupport
import Testing

@Suite("Lazy promises that are given up", .leavingNothing) struct LazyCaseTests {
  private let world = TestWorld()
  private let work = StoppableWork()

  /// Cancels a lazy promise as a client does.
  private func apply(_ form: CancelForm, to lazy: LazyPromise<Int>) {
    lazy.cancel(reason: TestError(7), upstream: form == .up)
  }

  /// Makes a lazy promise whose work is behind a link.
  private func adopting(isStarted: Bool) -> LazyPromise<Int> {
    let lazy = world.run { [work, main = world.main] in
      LazyPromise.adopting(on: main) { work.promise.map(on: main) { $0 } }
    }
    if isStarted { lazy.start() }
    world.runUntilIdle()
    return lazy
  }

  @Test(
    "A lazy promise cancelled before its start never starts, and passes its rejection to derived promises",
    .rule("1.2", "4.3", "4.6"), arguments: CancelForm.allCases)
  func unstarted(_ form: CancelForm) {
    let calls = Log<Int>()
    let first = world.run { LazyPromise.run(on: world.main) { calls.append(1, returning: 1) } }
    let links = world.run { [first.map(on: world.main) { $0 }, first.recover(on: world.main) { _ in 3 }] }
    apply(form, to: first)
    let later = world.run { first.map(on: world.main) { $0 } }
    world.start { for lazy in links + [later] { lazy.start() } }
    #expect(calls.entries.isEmpty)
    #expect(first.isCancelled)
    #expect(first.promise.failure == .test(7))
    for mapped in [links[0], later] { #expect(mapped.isCancelled && mapped.promise.failure == .test(7)) }
    // A link that starts later sees the cancellation as an ordinary rejection.
    #expect(links[1].promise.state.value == 3)
  }

  @Test(
    "A running lazy promise that is cancelled stops its work behind a link, with the reason",
    .rule("4.4", "4.5", "4.6"), arguments: CancelForm.allCases, 0..<4)
  func started(_ form: CancelForm, kind: Int) {
    let work = work
    let main = world.main
    let lazy: LazyPromise<Int> = world.run {
      switch kind {
      case 0: LazyPromise.adopting(on: main) { work.promise.map(on: main) { $0 } }
      case 1: LazyPromise(on: main) { $0.follow(work.promise.map(on: main) { $0 }) }
      case 2: LazyPromise.run(on: main) { 1 }.then(on: main) { _ in work.promise.map(on: main) { $0 } }
      default:
        LazyPromise<Int>.run(on: main) { throw TestError(1) }.rescue(on: main) { _ in work.promise.map(on: main) { $0 }
        }
      }
    }
    world.start { _ = lazy.start() }
    #expect(lazy.isPending)
    #expect(work.goesOn)
    apply(form, to: lazy)
    #expect(lazy.isCancelled)
    #expect(work.isStopped)
    #expect(work.reasonNumbers == [7])
  }

  @Test("Started links of a lazy promise leave it or give it up as links of a promise do", .rule("4.2", "4.4"))
  func links() {
    let first = adopting(isStarted: false)
    func link() -> LazyPromise<Int> {
      let link = world.run { first.map(on: world.main) { $0 } }
      link.start()
      world.runUntilIdle()
      return link
    }
    let links = [link(), link()]
    links[0].cancel(upstream: true)
    #expect(links[0].isCancelled)
    #expect(work.goesOn)
    #expect(first.isPending)
    links[1].cancel()
    #expect(links[1].isCancelled, "it was the only link")
    #expect(work.goesOn, "it was the only link")
    #expect(first.isPending, "it was the only link")
    let last = link()
    last.cancel(upstream: true)
    #expect(last.isCancelled)
    #expect(work.isStopped)
    #expect(!first.isStarted, "the next client starts it anew")
    #expect(first.isPending, "the next client starts it anew")
  }

  @Test(
    "A cancelled Task that waits for a lazy promise gives its work up only if cancelsSource is true",
    .rule("4.6", "4.7"),
    arguments: [false, true], [false, true])
  func waitingTask(cancelsSource: Bool, isStarted: Bool) async throws {
    let executor = ManualExecutor()
    let ended = Log<Int>()
    let lazy = adopting(isStarted: isStarted)
    let task = Task(executorPreference: executor) {
      defer { ended.append(1) }
      return try await (cancelsSource ? lazy.value(cancelsSource: true) : lazy.value)
    }
    executor.runUntilIdle()
    world.runUntilIdle()
    #expect(lazy.isStarted)
    #expect(work.goesOn)
    task.cancel()
    // The pool may have to resume the Task.
    #expect(
      await eventually {
        executor.runUntilIdle()
        return ended.entries == [1]
      })
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(cancelsSource ? work.isStopped : work.goesOn)
    #expect(lazy.isPending)
    #expect(lazy.isStarted != cancelsSource)
    world.runUntilIdle(after: work.deferred.fulfill(3))
    #expect(try lazy.result?.get() == (cancelsSource ? nil : 3))
  }
}
