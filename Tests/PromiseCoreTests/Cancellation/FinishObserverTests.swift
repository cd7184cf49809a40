import TestSupport
import Testing

@Suite("Observers of the finish of a promise", .leavingNothing, .rule("2.11")) struct FinishObserverTests {
  private let context = ManualContext()
  private let source = Deferred<Int>()
  /// Ends the cleanup of ``linkWithCleanup()``.
  private let cleanup = Deferred<Void>()

  /// A link whose cleanup goes on after a cancellation, until the test ends it.
  private func linkWithCleanup() -> Promise<Int> {
    source.promise.alwaysThen(on: context) { [cleanup] _ in cleanup.promise }
  }

  @Test("whenFinished is no consumer", .rule("4.0", "4.4"))
  func noConsumer() {
    let finish = source.promise.whenFinished()
    let link = source.promise.map(on: context) { $0 }
    link.cancel(upstream: true)
    #expect(source.promise.isCancelled)
    #expect(finish.isFulfilled)
  }

  @Test("A long chain of whenFinished is settled in a loop", .rule("6.4"), arguments: Settlement.allCases)
  func chain(_ settlement: Settlement) {
    let owner = Deferred<Int>()
    var last = owner.promise.whenFinished()
    for _ in 0..<100_000 { last = last.whenFinished() }
    #expect(last.isPending)
    owner.settle(settlement.result)
    #expect(last.isFulfilled)
  }

  @Test("whenFinished of a promise that has finished is fulfilled at once, also while it schedules its handlers")
  func finishedWhileFiring() {
    let found = Log<Bool>()
    let scheduling = SchedulingContext { [promise = source.promise] in
      found.append(promise.isFinished && promise.whenFinished().isFulfilled)
      let bag = CancelBag()
      promise.bound(to: bag)
      found.append(bag.whenFinished().isFulfilled)
    }
    source.promise.onSettled(on: scheduling) { _ in }
    source.fulfill(1)
    #expect(found.entries == [true, true])
  }

  /// A context that calls a closure when a job is scheduled, and then runs the job.
  private final class SchedulingContext: ExecutionContext {
    private let scheduling: @Sendable () -> Void

    init(_ scheduling: @escaping @Sendable () -> Void) { self.scheduling = scheduling }

    func schedule(_ job: consuming Job) {
      scheduling()
      job.run()
    }
  }

  @Test("Cancelling the promise of whenFinished stops nothing", arguments: CancelForm.allCases)
  func cancelled(_ form: CancelForm) {
    let work = linkWithCleanup()
    let cancelled = work.whenFinished()
    let other = work.whenFinished()
    form.apply(to: cancelled)
    #expect(cancelled.isCancelled)
    #expect(work.isPending)
    #expect(other.isPending)
    work.cancel()
    context.runUntilIdle()
    form.apply(to: work.whenFinished())
    #expect(other.isPending)
    cleanup.fulfill()
    #expect(other.isFulfilled)
    #expect(cancelled.isCancelled)
  }

  @Test("A cancelled promise of whenFinished is not reported as settled twice", .rule("1.3"))
  func cancelledIsNotReported() {
    let reports = Log<SecondSettlement>()
    Diagnostics.scoped(secondSettlement: reports.append) {
      let owner = Deferred<Int>()
      owner.promise.whenFinished().cancel()
      owner.fulfill(1)
      #expect(!owner.fulfill(2))
    }
    // That of the owner, which shows that the scope hears of them.
    #expect(reports.entries.count == 1)
  }

  @Test("whenFinished handles no rejection", .rule("7.1"))
  func handlesNothing() {
    expectUnhandled([Unhandled(1, line: 1)]) {
      let owner = Deferred<Int>(line: 1)
      let finish = owner.promise.whenFinished()
      owner.reject(TestError(1))
      #expect(finish.isFulfilled)
      #expect(owner.promise.isFinished)
    }
  }

  @Test("The promise of whenFinished does not keep the value", .rule("6.1"))
  func releasesValue() {
    let census = Tracked.Census()
    let finish: Promise<Void>
    do {
      let owner = Deferred<Tracked>()
      finish = owner.promise.whenFinished()
      owner.fulfill(Tracked(census))
    }
    #expect(finish.isFulfilled)
    #expect(census.living == 0)
  }

  @Test("whenFinished does not retain the promise of a client, which is cancelled without a client", .rule("4.6"))
  func retainsNoClient() {
    let owner = Deferred<Int>(cancelsWithoutClients: true)
    var client: Promise<Int>? = owner.promise
    let finish = client?.whenFinished()
    #expect(client?.isPending == true)
    client = nil
    #expect(finish?.isFulfilled == true)
    #expect(owner.promise.isCancelled)
  }

  @Test("The finish of a released promise is still observed")
  func released() {
    var work: Promise<Int>? = linkWithCleanup()
    let finish = work?.whenFinished()
    work?.cancel()
    work = nil
    context.runUntilIdle()
    #expect(finish?.isPending == true)
    cleanup.fulfill()
    #expect(finish?.isFulfilled == true)
  }

  @Test("A promise finishes once, and observers that come in any phase learn of it")
  func phases() {
    let work = linkWithCleanup()
    let before = work.whenFinished()
    work.cancel(upstream: true)
    let queued = work.whenFinished()
    context.runUntilIdle()
    let during = work.whenFinished()
    let log = Log<String>()
    before.onFulfilled(on: .atOnce) { log.append("before") }
    queued.onFulfilled(on: .atOnce) { log.append("queued") }
    during.onFulfilled(on: .atOnce) { log.append("during") }
    #expect(log.entries.isEmpty)
    cleanup.fulfill()
    #expect(Set(log.entries) == ["before", "queued", "during"])
    #expect(log.entries.count == 3)
    #expect(work.whenFinished().isFulfilled)
    work.cancel(upstream: true)
    #expect(work.isFinished)
  }

  @Test("A long chain finishes, and is released, in a loop", .rule("6.4"))
  func longChain() {
    let work = linkWithCleanup()
    var last = work
    for _ in 0..<20_000 { last = last.map(on: context) { $0 } }
    let finish = last.whenFinished()
    last.cancel(upstream: true)
    context.runUntilIdle()
    #expect(work.isCancelled)
    #expect(finish.isPending)
    cleanup.fulfill()
    #expect(last.isFinished)
    #expect(finish.isFulfilled)
  }
}
