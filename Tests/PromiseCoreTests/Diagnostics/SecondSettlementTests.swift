import TestSupport
import Testing

@Suite("Second settlements") struct SecondSettlementTests {
  private let reports = Reports()

  private typealias Call = (name: String, error: TestError?, settle: @Sendable (Deferred<Int>) -> Bool)

  /// The late calls of an owner, and the error that each call brings.
  private static let calls: [Call] = [
    ("fulfill", nil, { $0.fulfill(1) }),
    ("reject", TestError(2), { $0.reject(TestError(2)) }),
    ("settle with a value", nil, { $0.settle(.success(1)) }),
    ("settle with an error", TestError(2), { $0.settle(.failure(TestError(2))) }),
    ("follow a pending promise", nil, { $0.follow(Deferred<Int>().promise) }),
    ("follow a fulfilled promise", nil, { $0.follow(.fulfilled(1)) }),
    ("follow a rejected promise", TestError(2), { $0.follow(.rejected(TestError(2))) }),
  ]

  @Test("A losing call of the owner returns `false` and is reported once", .rule("1.3"))
  func late() {
    for (name, error, settle) in Self.calls {
      expectReport(of: error, "\(name)") { deferred in #expect(!settle(deferred), "\(name)") }
    }
    expectReport(of: nil, "resolve with a value") { $0.resolve(1) }
    expectReport(of: TestError(2), "resolve with an error") { $0.resolve(nil, TestError(2)) }
    expectReport(of: TestError(2), "throw from the closure") { _ in throw TestError(2) }
  }

  /// Expects one report if the closure settles a promise that is already fulfilled.
  private func expectReport(of error: TestError?, _ name: Comment, _ settle: (Deferred<Int>) throws -> Void) {
    let reports = Reports()
    reports.collect {
      _ = Promise<Int>(line: 1) { deferred in
        deferred.fulfill(0)
        try settle(deferred)
      }
    }
    let settlements = reports.settlements.entries
    #expect(settlements.map { $0.error as? TestError } == [error], name)
    #expect(settlements.map(\.createdAt.line) == [1] && settlements.map(\.wasCancelled) == [false], name)
  }

  @Test("The report says whether a call had cancelled the promise", .rule("1.3", "4.1", "7.1"), arguments: 0..<3)
  func cancelled(length: Int) {
    reports.collect {
      let deferred = Deferred<Int>(line: 1)
      (0..<length).reduce(deferred.promise) { promise, _ in promise.map(on: ManualContext()) { $0 } }
        .cancel(reason: TestError(7), upstream: true)
      deferred.fulfill(1)
      let rejecting = Deferred<Int>(line: 2)
      rejecting.reject(CancellationError())
      rejecting.fulfill(1)
    }
    #expect(reports.unhandled == [])
    #expect(reports.settlements.entries.map(\.createdAt.line) == [1, 2])
    #expect(reports.settlements.entries.map(\.wasCancelled) == [true, false])
    #expect(
      reports.settlements.entries.map { "\($0)".split(separator: ": ").dropFirst().joined(separator: ": ") } == [
        "settled a second time: a value was refused after the promise had been cancelled",
        "settled a second time: a value was refused",
      ])
  }

  @Test("The report on a cancelled promise names no error of its own for a pending promise to follow", .rule("3.1"))
  func cancelledFollower() throws {
    let other = Deferred<Int>()
    reports.collect {
      let deferred = Deferred<Int>(line: 1)
      deferred.promise.cancel(reason: TestError(7))
      #expect(!deferred.follow(other.promise))
    }
    #expect(other.promise.isCancelled)
    let report = try #require(reports.settlements.entries.first)
    #expect(report.error == nil)
    #expect(report.description.hasSuffix(": a promise to follow was refused after the promise had been cancelled"))
  }

  @Test("The report says whether the time limit of the owner had expired", .rule("1.3", "4.6"))
  func timedOut() throws {
    reports.collect {
      let deferred = Deferred<Int>(line: 1)
      deferred.promise.timeOutAsOwner(because: .timedOut(createdAt: CreationSite(line: 2)))
      deferred.fulfill(1)
    }
    let report = try #require(reports.settlements.entries.first)
    #expect(report.wasCancelled)
    #expect(report.createdAt.line == 1)
    #expect(report.description.hasSuffix(": a value was refused after the promise had timed out"))
  }
}
