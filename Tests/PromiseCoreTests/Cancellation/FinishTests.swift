import TestSupport
import Testing

@Suite("The finish of a promise", .leavingNothing, .rule("2.11")) struct FinishTests {
  private let context = ManualContext()
  private let source = Deferred<Int>()

  @Test("A promise that is settled without a cancellation has finished at once", arguments: Settlement.allCases)
  func settled(_ settlement: Settlement) {
    let link = source.promise.asVoid()
    let finish = link.whenFinished()
    #expect(!link.isFinished)
    #expect(finish.isPending)
    source.settle(settlement.result)
    #expect(source.promise.isFinished)
    #expect(link.isFinished)
    #expect(finish.isFulfilled)
    #expect(link.whenFinished().isFulfilled)
  }

  @Test("A promise that is cancelled while its handler runs has finished when the handler has returned")
  func runningHandler() {
    let derived = Locked<Promise<Int>?>(nil)
    let log = Log<Bool>()
    let promise = source.promise.map(on: context) { value in
      let own = derived.withLock { $0.take() }
      own?.cancel()
      log.append(own?.isFinished ?? true)
      return value
    }
    derived.withLock { $0 = promise }
    let finish = promise.whenFinished()
    source.fulfill(1)
    context.runUntilIdle()
    #expect(log.entries == [false])
    #expect(promise.isCancelled)
    #expect(promise.isFinished)
    #expect(finish.isFulfilled)
  }

  @Test("A cancelled promise does not wait for a handler that never starts", arguments: CancelForm.allCases)
  func droppedHandler(_ form: CancelForm) throws {
    let pending = source.promise.map(on: context) { $0 }
    let queued = Promise.fulfilled(1).map(on: context) { $0 }
    form.apply(to: pending)
    form.apply(to: queued)
    #expect(pending.isFinished)
    #expect(queued.isFinished)
    try TestWorld.run { world in
      let body = StubbornBody()
      let task = Promise.task { await body() }
      form.apply(to: task)
      #expect(task.isFinished)
      body.end()
    }
  }

  /// A promise whose async closure runs in a Task.
  enum AsyncForm: CaseIterable, Sendable {
    case task, map, recover

    func start(_ body: StubbornBody) -> Promise<Int> {
      switch self {
      case .task: Promise.task { await body() }
      case .map: Promise.fulfilled(1).asyncMap { _ in await body() }
      case .recover: Promise<Int>.rejected(TestError(1)).asyncRecover { _ in await body() }
      }
    }
  }

  @Test(
    "Cancelled promises have finished when the Task of an async closure has ended", arguments: AsyncForm.allCases,
    [false, true])
  func asyncClosure(_ form: AsyncForm, isCancelledFromAbove: Bool) throws {
    try TestWorld.run { world in
      let body = StubbornBody()
      let work = form.start(body)
      let last = work.asVoid().asVoid()
      let finish = last.whenFinished()
      world.runUntilIdle()
      if isCancelledFromAbove { work.cancel() } else { last.cancel(upstream: true) }
      world.runUntilIdle()
      #expect(work.isCancelled)
      #expect(last.isCancelled)
      #expect(!work.isFinished)
      #expect(!last.isFinished)
      #expect(finish.isPending)
      body.end()
      world.runUntilIdle()
      #expect(work.isFinished)
      #expect(last.isFinished)
      #expect(finish.isFulfilled)
    }
  }

  @Test("Of many waits for one promise, those that were not cancelled are fulfilled in the order of the calls")
  func manyWaits() {
    let owner = Deferred<Int>()
    let cleanup = Deferred<Void>()
    owner.onCancelThen { _ in cleanup.promise }
    owner.promise.cancel()
    let log = Log<Int>()
    for number in 0..<50 {
      let wait = owner.promise.whenFinished()
      wait.onFulfilled(on: context) { log.append(number) }
      if number % 2 == 0 { wait.cancel() }
    }
    cleanup.fulfill()
    context.runUntilIdle()
    #expect(log.entries == Array(stride(from: 1, to: 50, by: 2)))
  }

  @Test("A cancelled promise waits for a handler that its cancellation runs")
  func handlersThatRun() {
    let always = source.promise.always(on: context) { _ in }
    let caught = source.promise.catch(on: context) { _ in }
    source.promise.cancel()
    #expect(source.promise.isFinished)
    #expect(!always.isFinished)
    #expect(!caught.isFinished)
    context.runUntilIdle()
    #expect(always.isFinished)
    #expect(caught.isFinished)
  }

  @Test("A cancelled promise waits for its kept handler if another promise gives up their source")
  func keptHandlerBesideLastConsumer() {
    let bag = CancelBag()
    let caught = source.promise.catch(on: context) { _ in }.bound(to: bag)
    let last = source.promise.map(on: context) { $0 }.bound(to: bag)
    bag.cancelAll()
    #expect(source.promise.isCancelled)
    #expect(last.isFinished)
    #expect(!caught.isFinished)
    context.runUntilIdle()
    #expect(caught.isFinished)
  }

  @Test("A cancelled promise does not wait for a rejection handler that is kept for a source which goes on")
  func keptHandler() {
    let log = Log<Int>()
    let caught = source.promise.catch(on: context) { _ in log.append(1) }
    caught.cancel()
    #expect(caught.isFinished)
    source.reject(TestError(1))
    #expect(caught.isFinished)
    context.runUntilIdle()
    #expect(log.entries == [1])
  }

  @Test("A cancelled promise waits for the hooks that its cancellation runs, and not for onEnd")
  func hooks() {
    let log = Log<Bool>()
    let promise = source.promise
    source.onCancel { _ in log.append(promise.isFinished) }
    source.onCancel(on: context) { _ in log.append(promise.isFinished) }
    let ends = ManualContext()
    source.onEnd(on: ends) { _ in log.append(promise.isFinished) }
    promise.cancel()
    #expect(log.entries == [false])
    #expect(!promise.isFinished)
    context.runUntilIdle()
    #expect(log.entries == [false, false])
    #expect(promise.isFinished)
    ends.runUntilIdle()
    #expect(log.entries == [false, false, true])
  }
}
