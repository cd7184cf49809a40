import PromiseCore
import TestSupport
import Testing

@Suite("Second settlements")
struct SecondSettlementTests {
  private let reports = Reports()

  /// The late calls of an owner, and the error that each call brings.
  enum Late: CaseIterable {
    case fulfil, reject, settleValue, settleError, resolveValue, resolveError, followPending, followFulfilled,
      followRejected
    case throwFromClosure

    /// Settles the promise of line 1 with a value and then once more.
    func settleTwice() -> Bool {
      if self == .throwFromClosure {
        _ = Promise<Int>(line: 1) { deferred in
          deferred.fulfill(0)
          throw TestError(2)
        }
        return false
      }
      let deferred = Deferred<Int>(line: 1)
      deferred.fulfill(0)
      return settle(deferred)
    }

    func settle(_ deferred: Deferred<Int>) -> Bool {
      switch self {
      case .fulfil: return deferred.fulfill(1)
      case .reject: return deferred.reject(TestError(2))
      case .settleValue: return deferred.settle(.success(1))
      case .settleError: return deferred.settle(.failure(TestError(2)))
      case .resolveValue: deferred.resolve(1)
      case .resolveError: deferred.resolve(nil, TestError(2))
      case .followPending: return deferred.follow(Deferred<Int>().promise)
      case .followFulfilled: return deferred.follow(.fulfilled(1))
      case .followRejected: return deferred.follow(.rejected(TestError(2)))
      case .throwFromClosure: break
      }
      return false
    }

    var error: TestError? {
      switch self {
      case .reject, .settleError, .resolveError, .followRejected, .throwFromClosure: TestError(2)
      default: nil
      }
    }
  }

  @Test("A losing call of the owner returns `false` and is reported once", .rule("1.3"), arguments: Late.allCases)
  func late(late: Late) throws {
    #expect(!reports.collect { late.settleTwice() })
    #expect(reports.settlements.entries.count == 1)
    let report = try #require(reports.settlements.entries.first)
    #expect(report.createdAt.line == 1)
    #expect(report.error as? TestError == late.error)
    #expect(!report.wasCancelled)
  }

  @Test(
    "The report says whether the promise had been cancelled by a call, at any distance below it",
    .rule("1.3", "4.1", "7.1"), arguments: 0..<3)
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

  @Test("The report says whether the time limit of the owner had expired", .rule("1.3", "4.6"))
  func timedOut() throws {
    reports.collect {
      let deferred = Deferred<Int>(line: 1)
      deferred.promise.timeOutAsOwner(because: .timedOut(createdAt: CreationSite(line: 2)))
      deferred.fulfill(1)
    }
    let report = try #require(reports.settlements.entries.first)
    #expect(report.wasCancelled && report.createdAt.line == 1)
    #expect(report.description.hasSuffix(": a value was refused after the promise had timed out"))
  }

  @Test("A winning settlement is not reported, nor is a claim that the library itself loses", .rule("1.3"))
  func quiet() {
    let context = ManualContext()
    reports.collect {
      let (first, second, follower) = (Deferred<Int>(), Deferred<Int>(), Deferred<Int>())
      #expect(follower.follow(first.promise))
      #expect(follower.follow(second.promise))
      let derived = first.promise.map(on: context) { $0 }.recover(on: context) { _ in 0 }
      let running = first.promise.then(on: context) { _ in
        derived.cancel()
        return second.promise
      }
      first.fulfill(1)
      // The second followed promise settles too late, and so does the promise that a cancelled handler returns.
      derived.cancel()
      second.fulfill(2)
      context.step()
      running.cancel()
      context.runUntilIdle()
      let ring = Deferred<Int>()
      ring.follow(ring.promise.asVoid().map(on: context) { 1 })
      ring.promise.cancel()
    }
    #expect(reports.settlements.entries.map(\.description) == [])
  }
}
