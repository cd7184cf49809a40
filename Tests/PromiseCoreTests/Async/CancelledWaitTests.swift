import Foundation
import TestSupport
import Testing

@Suite("Cancellations of Tasks that give up their promise", .leavingNothing, .bounded, .rule("4.7"))
struct CancelledWaitTests {
  private let executor = ManualExecutor()
  private let context = ManualContext()
  private let census = Tracked.Census()

  @Test("The owner's rejection after task.cancel() is too late, although the Task has not been resumed", .rule("7.1"))
  func lateOwner() async {
    let unhandled = Log<UnhandledRejection>()
    let second = Log<SecondSettlement>()
    let waiting = Diagnostics.scoped(unhandledRejection: unhandled.append, secondSettlement: second.append) {
      let owner = Deferred<Int>()
      let waiting = Waiting(for: owner.promise.map(on: context) { $0 }, cancelsSource: true, on: executor)
      executor.runUntilIdle()
      waiting.task.cancel()
      #expect(owner.promise.isCancelled)
      #expect(!owner.reject(TestError(1)))
      return waiting
    }
    #expect(waiting.results.isEmpty)
    #expect(second.entries.map(\.wasCancelled) == [true])
    #expect(await waiting.resultsEventually(on: executor) == [.rejected(.cancellation)])
    #expect(unhandled.entries.isEmpty)
  }

  @Test("A Task on the main actor gives its promise up while the main actor is busy")
  @MainActor func mainActor() async {
    let owner = Deferred<Int>()
    let hooks = Log<Bool>()
    owner.onCancel { _ in hooks.append(Thread.isMainThread) }
    let promise = owner.promise.map(on: context) { $0 }
    let task = Task { @MainActor in try await promise.value(cancelsSource: true) }
    // The Task waits when the promise has a consumer.
    #expect(await eventually { promise.debugDescription.contains("1 consumer") })
    task.cancel()
    #expect(promise.isCancelled)
    #expect(owner.promise.isCancelled)
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await eventually { hooks.entries == [false] })
  }

  @Test("task.cancel() only settles, and the pool does the rest in its next step", .rule("2.5", "4.5"))
  func rest() throws {
    try TestWorld.run { world in
      let source = Deferred<Int>()
      let log = Log<String>()
      source.onCancel { _ in log.append("hook") }
      source.onCancel(on: .atOnce) { _ in log.append("named hook") }
      let promise = source.promise.map(on: context) { [payload = Tracked(census)] in payload.carrying($0) }
      promise.onRejected(on: context) { _ in log.append("handler") }
      promise.onFailed(on: context) { [payload = Tracked(census)] _ in payload.carrying(log.append("failed")) }
      let waiting = Waiting(for: promise, cancelsSource: true, on: world.taskExecutor)
      world.runUntilIdle()
      #expect(census.living == 2)

      waiting.task.cancel()
      #expect(promise.isCancelled)
      #expect(source.promise.isCancelled)
      #expect(census.living == 2)
      #expect(context.count == 0)
      #expect(log.entries.isEmpty)
      #expect(waiting.results.isEmpty)

      world.step()
      #expect(census.living == 0)
      #expect(context.count == 1)
      #expect(log.entries == ["named hook"])
      world.runUntilIdle()
      context.runUntilIdle()
      #expect(log.entries == ["named hook", "hook", "handler"])
      #expect(waiting.results == [.rejected(.cancellation)])
    }
  }

  @Test("Progress that is queued when task.cancel() is called is not shown, and its observer is released", .rule("2.5"))
  func queuedProgress() throws {
    try TestWorld.run { world in
      let source = Deferred<Int>()
      let log = Log<Double>()
      let promise = source.promise.map(on: context) { $0 }
      for observed in [source.promise, promise] {
        observed.onProgress(on: context) { [payload = Tracked(census)] in payload.carrying(log.append($0)) }
      }
      let waiting = Waiting(for: promise, cancelsSource: true, on: world.taskExecutor)
      world.runUntilIdle()
      source.report(progress: 0.5)
      #expect(context.count == 2)

      waiting.task.cancel()
      #expect(source.promise.isCancelled)
      #expect(census.living == 2)
      context.runUntilIdle()
      #expect(log.entries.isEmpty)

      world.runUntilIdle()
      context.runUntilIdle()
      #expect(log.entries.isEmpty)
      #expect(census.living == 0)
      #expect(waiting.results == [.rejected(.cancellation)])
    }
  }

  @Test("The closure of a Task that has not begun is released on the pool")
  func closure() throws {
    try TestWorld.run { world in
      let work = Promise.task { [payload = Tracked(census)] in payload.carrying(1) }
      let waiting = Waiting(for: work, cancelsSource: true, on: executor)
      executor.runUntilIdle()
      waiting.task.cancel()
      #expect(work.isCancelled)
      #expect(census.living == 1)
      world.runUntilIdle()
      #expect(census.living == 0)
      executor.runUntilIdle()
      #expect(waiting.results == [.rejected(.cancellation)])
    }
  }

  @Test("Deinitialisers and handlers of clients run on a thread of the pool", .rule("2.5"))
  func threads() async {
    let threads = Log<ObjectIdentifier>()
    let owner = Deferred<Int>()
    let promise = owner.promise.map(on: context) { [notice = ThreadOfRelease(threads)] in notice.carrying($0) }
    promise.onRejected(on: CallingContext { threads.append(currentThread()) }) { _ in }
    let waiting = Waiting(for: promise, cancelsSource: true, on: executor)
    executor.runUntilIdle()
    let canceller = currentThread()
    waiting.task.cancel()
    #expect(!threads.entries.contains(canceller))
    #expect(await eventually { threads.entries.count == 2 })
    #expect(await waiting.resultsEventually(on: executor) == [.rejected(.cancellation)])
  }
}

private func currentThread() -> ObjectIdentifier { ObjectIdentifier(Thread.current) }

/// Notes the thread that releases it.
private final class ThreadOfRelease: Sendable {
  private let log: Log<ObjectIdentifier>

  init(_ log: Log<ObjectIdentifier>) { self.log = log }

  deinit { log.append(currentThread()) }

  func carrying<Content>(_ content: Content) -> Content { content }
}
