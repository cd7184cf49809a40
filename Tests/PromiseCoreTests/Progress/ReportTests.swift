import PromiseCore
import TestSupport
import Testing

@Suite("Progress: reports")
struct ReportTests {
  private let deferred = Deferred<Int>()
  private let observed = Observed()

  @Test("rule 5.1, row C5: a report shows, 0...1, and never falls")
  func reports() {
    observed.observe(deferred.promise)
    #expect(deferred.promise.progress == 0)
    #expect(deferred.report(progress: 0.25))
    #expect(deferred.promise.progress == 0.25)
    #expect(observed.values == [0.25])
    #expect(!deferred.report(progress: 0.125))
    #expect(!deferred.report(progress: 0.25))
    #expect(deferred.promise.progress == 0.25)
    #expect(deferred.report(progress: 0.5))
    #expect(observed.values == [0.25, 0.5])
  }

  @Test(
    "rule 5.1, row J1: no number, nothing, and less than nothing are dropped",
    arguments: [Double.nan, .signalingNaN, 0, -0.0, -1, -.infinity])
  func dropped(_ value: Double) {
    observed.observe(deferred.promise)
    #expect(!deferred.report(progress: value))
    deferred.report(progress: 0.5)
    #expect(!deferred.report(progress: value))
    #expect(deferred.promise.progress == 0.5)
    #expect(observed.values == [0.5])
  }

  @Test("rule 5.1, row J1: above 1 counts as 1", arguments: [1, 1.5, .infinity, .greatestFiniteMagnitude])
  func aboveOne(_ value: Double) {
    observed.observe(deferred.promise)
    #expect(deferred.report(progress: value))
    #expect(deferred.promise.progress == 1)
    #expect(!deferred.report(progress: value))
    #expect(observed.values == [1])
    deferred.fulfill(1)
    #expect(observed.values == [1])
  }

  @Test("rule 5.1: a report after settlement is dropped", arguments: Settlement.allCases)
  func afterSettlement(_ settlement: Settlement) {
    deferred.report(progress: 0.25)
    observed.observe(deferred.promise)
    deferred.settle(settlement.result)
    #expect(!deferred.report(progress: 0.5))
    #expect(deferred.promise.progress == (settlement.isValue ? 1 : 0.25))
    #expect(observed.values == [settlement.isValue ? 1 : 0.25])
  }

  @Test("rule 5.1: a report after a cancellation is dropped")
  func afterCancellation() {
    deferred.report(progress: 0.25)
    deferred.promise.cancel()
    #expect(!deferred.report(progress: 0.5))
    #expect(deferred.promise.progress == 0.25)
  }

  @Test("rule 5.2, row J1: fulfilment sets 1, and observers see it before the value, whoever came first")
  func oneBeforeValue() {
    let context = ManualContext()
    let log = Log<String>()
    let promise = deferred.promise
    promise.onFulfilled(on: context) { _ in log.append("value") }
    promise.onProgress(on: context) { log.append("\($0)") }
    deferred.report(progress: 0.5)
    deferred.fulfill(1)
    context.runUntilIdle()
    #expect(log.entries == ["1.0", "value"])
    #expect(promise.progress == 1)
  }

  @Test(
    "rule 5.2: an observer that is running when its owner fulfils, or first reports 1, sees 1 before the value",
    arguments: [false, true])
  func oneBeforeValueWhileRunning(isReported: Bool) {
    let context = ManualContext()
    let log = Log<String>()
    deferred.promise.onFulfilled(on: context) { _ in log.append("value") }
    deferred.promise.onProgress(on: context) { [deferred] in
      log.append("\($0)")
      if $0 == 0.5 {
        if isReported { deferred.report(progress: 1) }
        deferred.fulfill(1)
      }
    }
    deferred.report(progress: 0.5)
    context.runUntilIdle()
    #expect(log.entries == ["0.5", "1.0", "value"])
  }

  @Test("rule 5.2: the same below, by a link without weight, which its source brings to 1", arguments: [false, true])
  func oneOfSourceWhileRunning(isReported: Bool) {
    let (context, handlers) = (ManualContext(), ManualContext())
    let log = Log<String>()
    let end = deferred.promise.tap(on: handlers) { _ in }
    end.onFulfilled(on: context) { _ in log.append("value") }
    end.onProgress(on: context) { [deferred] in
      log.append("\($0)")
      if $0 == 0.5 {
        if isReported { deferred.report(progress: 1) }
        deferred.fulfill(1)
        handlers.runUntilIdle()
      }
    }
    deferred.report(progress: 0.5)
    context.runUntilIdle()
    #expect(log.entries == ["0.5", "1.0", "value"])
  }

  @Test("rules 5.2 5.5: a report of 1 whose delivery waits is shown once, and no later for the fulfilment")
  func oneReportedAndSet() {
    observed.observe(deferred.promise)
    deferred.report(progress: 1)
    deferred.fulfill(1)
    #expect(observed.context.count <= 2)
    #expect(observed.values == [1])
  }

  @Test("rule 5.2: a report of 1 whose delivery was dropped is made good by the fulfilment")
  func oneReportedAndDropped() {
    observed.observe(deferred.promise)
    deferred.report(progress: 1)
    observed.context.dropAll()
    deferred.fulfill(1)
    #expect(observed.values == [1])
  }

  @Test("rules 5.2 5.5: 1 that was shown is not shown again")
  func oneShownAlready() {
    observed.observe(deferred.promise)
    deferred.report(progress: 1)
    #expect(observed.values == [1])
    deferred.fulfill(1)
    #expect(observed.context.count == 0)
    #expect(observed.values == [1])
  }

  @Test("rule 5.2, row J1: rejection leaves it where it was, and shows nothing new")
  func rejection() {
    observed.observe(deferred.promise)
    deferred.report(progress: 0.25)
    #expect(observed.values == [0.25])
    deferred.reject(TestError(1))
    #expect(observed.values == [0.25])
    #expect(deferred.promise.progress == 0.25)
  }

  @Test("rules 5.2, 5.5: the last value before a rejection is shown, though it comes late")
  func lastBeforeRejection() {
    observed.observe(deferred.promise)
    deferred.report(progress: 0.25)
    deferred.report(progress: 0.75)
    deferred.reject(TestError(1))
    #expect(observed.values == [0.75])
  }
}
