import TestSupport
import Testing

@Suite("Progress: reports") struct ReportTests {
  private let deferred = Deferred<Int>()
  private let observed = Observed()

  @Test("A report raises the progress and is shown, and no report lowers the progress", .rule("5.1"))
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

  @Test("A report below the progress of the followed promise is dropped", .rule("5.1"))
  func belowFollowed() {
    let source = Deferred<Int>()
    source.report(progress: 0.5)
    deferred.follow(source.promise)
    #expect(!deferred.report(progress: 0.25))
    #expect(deferred.report(progress: 0.75))
  }

  @Test(
    "A report of NaN, of zero or of a negative number is dropped", .rule("5.1"),
    arguments: [Double.nan, .signalingNaN, 0, -0.0, -1, -.infinity])
  func dropped(_ value: Double) {
    observed.observe(deferred.promise)
    #expect(!deferred.report(progress: value))
    deferred.report(progress: 0.5)
    #expect(!deferred.report(progress: value))
    #expect(deferred.promise.progress == 0.5)
    #expect(observed.values == [0.5])
  }

  @Test("A report above 1 counts as 1", .rule("5.1"), arguments: [1, 1.5, .infinity, .greatestFiniteMagnitude])
  func aboveOne(_ value: Double) {
    observed.observe(deferred.promise)
    #expect(deferred.report(progress: value))
    #expect(deferred.promise.progress == 1)
    #expect(!deferred.report(progress: value))
    #expect(observed.values == [1])
    deferred.fulfill(1)
    #expect(observed.values == [1])
  }

  @Test("A report after the settlement is dropped", .rule("5.1"), arguments: Settlement.allCases)
  func afterSettlement(_ settlement: Settlement) {
    deferred.report(progress: 0.25)
    observed.observe(deferred.promise)
    deferred.settle(settlement.result)
    #expect(!deferred.report(progress: 0.5))
    #expect(deferred.promise.progress == (settlement.isValue ? 1 : 0.25))
    #expect(observed.values == [settlement.isValue ? 1 : 0.25])
  }

  @Test("Fulfilment sets the progress to 1, and observers see 1 before the value, even if attached late", .rule("5.2"))
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

  @Test("A running observer sees 1 before the value", .rule("5.2"), arguments: [false, true], [false, true])
  func oneBeforeValueWhileRunning(isBelow: Bool, reportsOneFirst: Bool) {
    let context = ManualContext()
    let handlers = ManualContext()
    let log = Log<String>()
    let end = isBelow ? deferred.promise.tap(on: handlers) { _ in } : deferred.promise
    end.onFulfilled(on: context) { _ in log.append("value") }
    end.onProgress(on: context) { [deferred] in
      log.append("\($0)")
      if $0 == 0.5 {
        if reportsOneFirst { deferred.report(progress: 1) }
        deferred.fulfill(1)
        handlers.runUntilIdle()
      }
    }
    deferred.report(progress: 0.5)
    context.runUntilIdle()
    #expect(log.entries == ["0.5", "1.0", "value"])
  }

  /// The state of the delivery of a reported 1 when the promise is fulfilled.
  enum Delivery: CaseIterable { case pending, dropped, shown }

  @Test("The fulfilment shows a reported 1 once", .rule("5.2", "5.5"), arguments: Delivery.allCases)
  func oneReported(_ delivery: Delivery) {
    observed.observe(deferred.promise)
    deferred.report(progress: 1)
    if delivery == .dropped { observed.context.dropAll() }
    if delivery == .shown { #expect(observed.values == [1]) }
    deferred.fulfill(1)
    #expect(observed.context.count <= (delivery == .shown ? 0 : 2))
    #expect(observed.values == [1])
  }

  @Test("The last value before a rejection is shown, even if it is delivered late", .rule("5.2", "5.5"))
  func lastBeforeRejection() {
    observed.observe(deferred.promise)
    deferred.report(progress: 0.25)
    deferred.report(progress: 0.75)
    deferred.reject(TestError(1))
    #expect(observed.values == [0.75])
  }

  @Test("A handler that is attached while the last progress is delivered runs after that", .rule("5.2"))
  func attachedWhileDelivered() {
    let context = ManualContext()
    let log = Log<String>()
    let attaching = CallingContext { [promise = deferred.promise] in
      promise.onFulfilled(on: context) { _ in log.append("value") }
    }
    deferred.promise.onProgress(on: attaching) { _ in }.onProgress(on: context) { log.append("\($0)") }
    deferred.fulfill(1)
    context.runUntilIdle()
    #expect(log.entries == ["1.0", "value"])
  }
}
