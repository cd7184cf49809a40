import TestSupport
import Testing

@Suite("Progress: observers", .leavingNothing) struct ProgressObserverTests {
  private let deferred = Deferred<Int>()
  private let observed = Observed()

  @Test("A report made while an observer is given to its context is shown, as are later reports", .rule("5.4", "6.5"))
  func reportWhileShown() {
    let deferred = Deferred<Int>()
    let log = Log<Double>()
    let reporting = CallingContext { deferred.report(progress: 0.5) }
    let end = deferred.promise.map(on: ManualContext(), weight: 1) { $0 }
    end.onProgress(on: reporting) { log.append($0) }
    deferred.report(progress: 0.25)
    deferred.report(progress: 0.75)
    #expect(log.entries == [0.125, 0.25, 0.375])
    // Breaks a retain cycle. The context retains the owner, which retains the observers of derived promises until it is
    // settled.
    deferred.reject(TestError(1))
    #expect(end.isRejected)
  }

  /// Otherwise a schedule of a `TestWorld` could not be repeated.
  @Test("Observers of promises that depend on one promise are told in the order in which they began", .rule("5.4"))
  func orderOfDependents() {
    let context = ManualContext()
    let log = Log<Int>()
    let links = (0..<16).map { number in
      deferred.promise.map(on: context, weight: 1) { $0 }.onProgress(on: context) { _ in log.append(number) }
    }
    for _ in 0..<2 {
      deferred.report(progress: deferred.promise.progress + 0.25)
      context.runUntilIdle()
    }
    #expect(log.entries == Array(0..<16) + Array(0..<16))
    deferred.reject(TestError(1))
    context.runUntilIdle()
    for link in links { #expect(link.isRejected) }
  }

  @Test("An observer never runs inside the call that reports, fulfils or observes", .rule("5.2", "2.1"))
  func neverInline() {
    observed.observe(deferred.promise)
    deferred.report(progress: 0.5)
    observed.observe(deferred.promise)
    deferred.fulfill(1)
    #expect(observed.log.entries == [])
    #expect(observed.values == [1, 1])
  }

  @Test("On one context, an observer is told 1 before the handler of the value runs", .rule("5.2"))
  func toldBeforeValue() {
    deferred.promise.onFulfilled(on: observed.context) { [observed] _ in observed.log.append(-1) }
    observed.observe(deferred.promise)
    deferred.fulfill(1)
    #expect(observed.values == [1, -1])
  }

  @Test("A late observer is told the current value once, even of a settled promise", .rule("5.3"))
  func lateObserver() {
    observed.observe(deferred.promise)
    #expect(observed.values == [])
    deferred.report(progress: 0.25)
    let late = Observed().observe(deferred.promise)
    #expect(late.values == [0.25])
    deferred.fulfill(1)
    #expect(Observed().observe(deferred.promise).values == [1])
    #expect(Observed().observe(Promise.fulfilled(1)).values == [1])
    // Runs the queued jobs, because jobs and their contexts retain each other.
    for context in [observed.context, late.context] { context.runUntilIdle() }
  }

  @Test("A late observer of a rejected promise is told its last progress if that is above 0", .rule("5.3"))
  func lateObserverOfRejected() {
    let other = Deferred<Int>()
    deferred.report(progress: 0.25)
    deferred.reject(TestError(1))
    other.reject(TestError(1))
    #expect(Observed().observe(deferred.promise).values == [0.25])
    #expect(Observed().observe(other.promise).values == [])
    #expect(Observed().observe(Promise<Int>.rejected(TestError(1))).values == [])
    #expect(Promise<Int>.rejected(TestError(1)).progress == 0)
  }

  @Test("An observer of a promise that another one stands for is told each value of that one", .rule("3.3", "5.3"))
  func forwarded() {
    let owner = Deferred<Int>(cancelsWithoutClients: true)
    let promise = owner.promise
    owner.report(progress: 0.25)
    observed.observe(promise)
    #expect(observed.values == [0.25])
    owner.report(progress: 0.5)
    #expect(observed.values == [0.25, 0.5])
    owner.fulfill(1)
    #expect(observed.values == [0.25, 0.5, 1])
  }

  @Test("Deliveries to a slow observer do not pile up, and the last value is delivered", .rule("5.5"))
  func slowObserver() {
    observed.observe(deferred.promise)
    for step in 1...1_000 { deferred.report(progress: Double(step) / 2_000) }
    #expect(observed.context.count == 1)
    #expect(observed.values == [0.5])
    for step in 1_001...1_500 { deferred.report(progress: Double(step) / 2_000) }
    deferred.fulfill(1)
    #expect(observed.context.count <= 2)
    #expect(observed.values == [0.5, 1])
  }

  @Test("A report made while the observer runs is shown next, in a job of its own", .rule("5.5"))
  func reportedWhileRunning() {
    let context = ManualContext()
    let log = Log<Double>()
    deferred.promise.onProgress(on: context) { [deferred] in
      log.append($0)
      if $0 < 0.75 { for step in 1...4 { deferred.report(progress: $0 + Double(step) / 16) } }
    }
    deferred.report(progress: 0.25)
    #expect(context.step())
    #expect(log.entries == [0.25])
    #expect(context.count == 1)
    context.runUntilIdle()
    #expect(log.entries == [0.25, 0.5, 0.75])
    // Breaks a retain cycle. The pending promise retains the observer, which retains the owner.
    deferred.fulfill(1)
    context.runUntilIdle()
  }

  @Test("An observer on a context where handlers overlap is told 1 last and once", .rule("5.5"))
  func overlapping() {
    let context = ManualContext()
    let log = Log<Double>()
    deferred.promise.onProgress(on: context) { [deferred] in
      if $0 < 1 {
        deferred.fulfill(1)
        // This step stands for another thread of the same context.
        context.step()
      }
      log.append($0)
    }
    deferred.report(progress: 0.5)
    context.runUntilIdle()
    #expect(log.entries == [0.5, 1])
  }

  @Test("A context that drops a job loses the value of that job and no later value", .rule("5.5"))
  func droppedJob() {
    observed.observe(deferred.promise)
    deferred.report(progress: 0.25)
    observed.context.dropAll()
    deferred.report(progress: 0.5)
    #expect(observed.values == [0.5])
    deferred.report(progress: 0.75)
    deferred.fulfill(1)
    #expect(observed.values == [0.5, 1])
  }

  @Test("A context that drops the job of an earlier value does not lose the last value", .rule("5.5"))
  func droppedBeforeLast() {
    observed.observe(deferred.promise)
    deferred.report(progress: 0.5)
    deferred.fulfill(1)
    _ = observed.context.takeFirst()
    #expect(observed.values == [1])
  }

  @Test("An observer is released after the settlement and its last job", .rule("6.5"), arguments: Settlement.allCases)
  func released(_ settlement: Settlement) {
    let census = Tracked.Census()
    for (shows, drops) in [(false, false), (true, false), (true, true)] {
      let deferred = Deferred<Int>()
      deferred.promise.onProgress(on: observed.context) { [tracked = Tracked(census)] _ in _ = tracked }
      if shows { deferred.report(progress: 0.5) }
      #expect(census.living == 1)
      deferred.settle(settlement.result)
      if drops { observed.context.dropAll() } else { observed.context.runUntilIdle() }
      #expect(census.living == 0)
      withExtendedLifetime(deferred) {}
    }
  }

  @Test("An observer that captures its promise is released if the owner is deallocated", .rule("6.2", "6.3"))
  func brokenWithObserver() {
    let census = Tracked.Census()
    do {
      let promise = Deferred<Int>().promise
      promise.onProgress(on: observed.context) { [tracked = Tracked(census)] _ in
        withExtendedLifetime((tracked, promise)) {}
      }
    }
    #expect(census.living == 0)
  }

  @Test("An observer of an adopted promise in the middle of a loop sees the reports", .rule("3.3", "5.3"))
  func middleOfLoop() {
    let context = ManualContext()
    let log = Log<Double>()
    let outer = Promise.fulfilled(1).then(on: context) { [deferred] _ in
      // Nothing else retains this promise.
      let middle = Promise.fulfilled(2).then(on: context) { _ in deferred.promise }
      middle.onProgress(on: .atOnce) { log.append($0) }
      return middle
    }
    context.runUntilIdle()
    deferred.report(progress: 0.5)
    // The source of the middle promise has a share of the same weight, and is done.
    #expect(log.entries.last == 0.75)
    #expect(outer.isPending)
    deferred.fulfill(1)
  }
}
