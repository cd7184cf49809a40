import PromiseCore
import TestSupport
import Testing

@Suite("Waiting Tasks and promises of Tasks", .leavingNothing)
struct TaskCaseTests {
  private let context = ManualContext()
  private let executor = ManualExecutor()
  private let work = StoppableWork()

  private func waiting() -> Waiting<Int> {
    let waiting = Waiting(for: work.promise, on: executor)
    executor.runUntilIdle()
    return waiting
  }

  @Test("A cancelled Task stops waiting at once and leaves the promise to other waiters", .rule("4.7"))
  func leaves() {
    let (first, second) = (waiting(), waiting())
    first.task.cancel()
    executor.runUntilIdle()
    #expect(first.seen == [.rejected(.cancellation)] && second.seen.isEmpty && work.goesOn)
    work.deferred.fulfill(1)
    executor.runUntilIdle()
    #expect(second.seen == [.fulfilled(1)])
  }

  @Test("A cancelled Task leaves the promise as it is, even as its last consumer", .rule("4.7"), arguments: [1, 2])
  func lastLeaves(count: Int) {
    let all = (0..<count).map { _ in waiting() }
    for waiting in all { waiting.task.cancel() }
    executor.runUntilIdle()
    #expect(all.allSatisfy { $0.seen == [.rejected(.cancellation)] } && work.goesOn)
  }

  @Test("A Task that was cancelled beforehand stops waiting at once", .rule("4.7"))
  func cancelledBeforehand() {
    let waiting = Waiting(for: work.promise, on: executor)
    waiting.task.cancel()
    executor.runUntilIdle()
    #expect(waiting.seen == [.rejected(.cancellation)] && work.goesOn)
  }

  @Test("A cancelled Task gets the outcome of a promise that is settled", .rule("4.7"))
  func settled() {
    work.deferred.fulfill(3)
    let waiting = Waiting(for: work.promise, on: executor)
    waiting.task.cancel()
    executor.runUntilIdle()
    #expect(waiting.seen == [.fulfilled(3)])
  }

  @Test("A cancelled Task that has left no longer keeps the promise going", .rule("4.0", "4.7"))
  func leftConsumer() {
    let first = waiting()
    first.task.cancel()
    executor.runUntilIdle()
    work.promise.map(on: context) { $0 }.cancel(upstream: true)
    #expect(work.isStopped)
  }

  @Test("Giving up below a task promise cancels its Task and settles the promise at once", .rule("4.4", "4.7"))
  func taskPromise() async throws {
    let (started, ended, never) = (Deferred<Void>(), Deferred<Bool>(), Deferred<Int>())
    let task = Promise.task {
      started.fulfill()
      _ = try? await never.promise.value
      ended.fulfill(Task.isCancelled)
      return 1
    }
    try await started.promise.value
    let mapped = task.map(on: context) { $0 }
    mapped.cancel(upstream: true)
    #expect(areCancelled([mapped, task]))
    #expect(try await ended.promise.value)
    #expect(areCancelled([task]))
  }

  @Test("A task promise cancels its Task, however it is cancelled", .rule("4.7"), arguments: 0..<4)
  func taskPromises(kind: Int) async throws {
    let (started, ended, never) = (Deferred<Void>(), Deferred<Bool>(), Deferred<Int>())
    let task = Promise.task {
      started.fulfill()
      _ = try? await never.promise.value
      ended.fulfill(Task.isCancelled)
      return 1
    }
    try await started.promise.value
    let follower = Deferred<Int>()
    switch kind {
    case 0: task.cancel()
    case 1: task.cancel(upstream: true)
    case 2:
      follower.follow(task.map(on: context) { $0 })
      follower.promise.cancel()
    default:
      let bag = CancelBag()
      task.map(on: context) { $0 }.bound(to: bag)
      bag.cancelAll()
    }
    #expect(areCancelled([task]))
    #expect(try await ended.promise.value)
  }

  @Test("A plain cancel below a task promise lets its Task run to its end", .rule("4.2"))
  func plainCancel() async throws {
    let (started, released) = (Deferred<Void>(), Deferred<Int>())
    let task = Promise.task {
      started.fulfill()
      return try await released.promise.value
    }
    try await started.promise.value
    task.map(on: context) { $0 }.cancel()
    #expect(task.isPending)
    released.fulfill(5)
    #expect(try await task.value == 5)
  }
}
