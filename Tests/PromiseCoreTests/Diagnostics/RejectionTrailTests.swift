import TestSupport
import Testing

@testable import PromiseCore

@Suite("Diagnostics: the trail of a rejection", .serialized) struct RejectionTrailTests {
  private let context = ManualContext()

  private func tracing<Result>(_ body: () throws -> Result) rethrows -> Result {
    Diagnostics.recordsRejectionTrails = true
    defer { Diagnostics.recordsRejectionTrails = false }
    return try body()
  }

  private func lines(_ trail: RejectionTrail?) -> [Int] {
    trail.map { [$0.rejectedAt.line] + $0.passed.map(\.line) + [$0.createdAt.line] } ?? []
  }

  @Test("The trail of an owner's rejection names the call, the links that it passed, and the creation site")
  func owner() throws {
    let promise = tracing {
      let deferred = Deferred<Int>(fileID: "M/C", line: 1)
      let promise = deferred.promise
        .map(on: context, fileID: "M/B", line: 2) { $0 }
        .always(on: context, fileID: "M/B", line: 3) { _ in }
        .catch(on: context, fileID: "M/B", line: 4) { _ in }
        .asVoid(fileID: "M/B", line: 5)
      deferred.reject(TestError(1), fileID: "M/A", line: 9)
      context.runUntilIdle()
      return promise
    }
    let trail = try #require(promise.rejectionTrail)
    #expect(
      trail.description == """
        rejected at M/A:9, through map at M/B:2, always at M/B:3, catch at M/B:4, asVoid at M/B:5, created at M/C:1
        """)
    #expect(trail.omittedCount == 0)
  }

  @Test("A trail that has its maximum length shares its storage with the longer trails")
  func sharedStorage() {
    var full = RejectionSteps()
    for _ in 0..<64 { full.append(Promise.fulfilled(1)) }
    var later = RejectionSteps()
    later.append(Promise.fulfilled(1))
    var longer = full
    longer.append(later)
    #expect(longer.omitted == 1)
    // Safe, because the addresses are only compared.
    let addresses = [full, longer].map { trail in
      unsafe trail.stored.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
    }
    #expect(addresses[0] == addresses[1])
  }

  /// The ways to reject a promise of line 1. Each has the line that the trail gives as the place of the rejection.
  enum Origin: CaseIterable {
    case reject, settle, function, resolve, handler, fulfilledHandler, cancel, broken, born

    func promise(on context: ManualContext) -> Promise<Int> {
      let deferred = Deferred<Int>(line: 1)
      switch self {
      case .reject: deferred.reject(TestError(1), line: 7)
      case .settle: deferred.settle(.failure(TestError(1)), line: 7)
      case .function:
        let function: (any Error) -> Void = deferred.reject
        function(TestError(1))
      case .resolve: deferred.resolve(nil, TestError(1))
      case .handler:
        let promise = Promise<Int>.rejected(TestError(0), line: 3).recover(on: context, line: 1) { _ in
          throw TestError(1)
        }
        context.runUntilIdle()
        return promise
      case .fulfilledHandler:
        let promise = Promise<Int>.fulfilled(0, line: 3).map(on: context, to: Int.self, line: 1) { _ in
          throw TestError(1)
        }
        context.runUntilIdle()
        return promise
      case .cancel: deferred.promise.cancel()
      case .broken: break
      case .born: return .rejected(TestError(1), line: 1)
      }
      return deferred.promise
    }
  }

  @Test("The trail of a rejection names the place where the rejection began", arguments: Origin.allCases)
  func origins(origin: Origin) {
    let promise = tracing { origin.promise(on: context) }
    #expect(lines(promise.rejectionTrail) == [origin == .reject || origin == .settle ? 7 : 1, 1])
  }

  @Test("The trail of a rejection includes the adopters that it passed", .rule("2.6", "3.1"))
  func adopters() {
    let promise = tracing {
      let inner = Deferred<Int>(line: 1)
      let adopting = Promise.fulfilled(0).then(on: context, line: 2) { _ in inner.promise }
      context.runUntilIdle()
      let following = Deferred<Int>(line: 3)
      following.follow(adopting)
      inner.reject(TestError(1), line: 9)
      return following.promise
    }
    #expect(lines(promise.rejectionTrail) == [9, 2, 3, 1])
  }

  /// Starts a loop in which each step returns the promise of the next, on the line of its number, up to a last line.
  private func loop(from line: Int, to last: Int, ending end: Promise<Int>) -> Promise<Int> {
    Promise.fulfilled(0).then(on: context, line: UInt(line)) { _ in
      line == last ? end : loop(from: line + 1, to: last, ending: end)
    }
  }

  @Test("The trail of a rejection includes the promises that were bypassed on its way", .rule("3.3"))
  func bypassed() {
    let promise = tracing {
      let end = Deferred<Int>(line: 1)
      let promise = loop(from: 2, to: 5, ending: end.promise).map(on: context, line: 6) { $0 }
      context.runUntilIdle()
      end.reject(TestError(1), line: 9)
      return promise
    }
    #expect(lines(promise.rejectionTrail) == [9, 5, 4, 3, 2, 6, 1])
    #expect(promise.rejectionTrail?.description.contains("then at") == true)
  }

  @Test("The trail includes bypassed promises in order if others were bypassed before them", .rule("3.3"))
  func bypassedLater() {
    let promise = tracing {
      let end = Deferred<Int>(line: 1)
      let start = Deferred<Int>()
      // Its steps bypass each other before anything waits for the first of them.
      var inner: Promise<Int>? = loop(from: 5, to: 7, ending: end.promise)
      context.runUntilIdle()
      let outer = Promise.fulfilled(0).then(on: context, line: 2) { [first = inner] _ in
        start.promise.then(on: context, line: 3) { _ in first ?? .fulfilled(0) }
      }
      inner = nil
      context.runUntilIdle()
      start.fulfill(0)
      context.runUntilIdle()
      end.reject(TestError(1), line: 9)
      return outer
    }
    #expect(lines(promise.rejectionTrail) == [9, 7, 6, 5, 3, 2, 1])
  }

  @Test("Every consumer of a bypassed promise has that promise in its trail", .rule("3.3", "3.1"))
  func bypassedForSeveral() {
    let (adopter, follower) = tracing {
      let end = Deferred<Int>(line: 1)
      let start = Deferred<Int>()
      let following = Deferred<Int>(line: 4)
      let adopter = {
        let bypassed = start.promise.then(on: context, line: 2) { _ in end.promise }
        following.follow(bypassed)
        return Promise.fulfilled(0).then(on: context, line: 3) { _ in bypassed }
      }()
      context.runUntilIdle()
      start.fulfill(0)
      context.runUntilIdle()
      end.reject(TestError(1), line: 9)
      return (adopter, following.promise)
    }
    #expect(lines(adopter.rejectionTrail) == [9, 2, 3, 1])
    #expect(lines(follower.rejectionTrail) == [9, 2, 4, 1])
  }

  @Test("The trail of a long loop has the last 64 steps, and states how many it omits", .rule("3.3"))
  func bypassedInLoop() {
    let promise = tracing {
      let end = Deferred<Int>(line: 1)
      let promise = loop(from: 101, to: 300, ending: end.promise)
      context.runUntilIdle()
      end.reject(TestError(1), line: 9)
      return promise
    }
    #expect(promise.rejectionTrail?.passed.map(\.line) == (237...300).reversed())
    #expect(promise.rejectionTrail?.omittedCount == 136)
  }

  @Test("A long trail is cut, and states how many links it omits")
  func long() {
    let promise = tracing {
      let deferred = Deferred<Int>(line: 1)
      var promise = deferred.promise
      for line in 2..<102 { promise = promise.map(on: context, line: UInt(line)) { $0 } }
      deferred.reject(TestError(1), line: 9)
      return promise
    }
    #expect(promise.rejectionTrail?.passed.map(\.line) == Array(2..<66))
    #expect(promise.rejectionTrail?.omittedCount == 36)
    #expect(promise.rejectionTrail?.description.contains("… 36 more, created at") == true)
  }

  @Test("The report of an unhandled rejection includes its trail", .rule("7.1"))
  func report() throws {
    let reports = Reports()
    reports.collect {
      tracing {
        let deferred = Deferred<Int>(fileID: "M/C", line: 1)
        _ = deferred.promise.map(on: context, fileID: "M/B", line: 2) { $0 }
        deferred.reject(TestError(1), fileID: "M/A", line: 9)
      }
    }
    let report = try #require(reports.rejections.entries.first)
    #expect(
      report.description
        == "M/B:2: unhandled rejection: TestError(number: 1); rejected at M/A:9, through map at M/B:2, created at M/C:1"
    )
  }

  @Test("Only a rejection that began under tracing has a trail, and reading it does not handle the error", .rule("7.1"))
  func none() {
    let untraced = Promise<Int>.rejected(TestError(1))
    #expect(untraced.rejectionTrail == nil)
    tracing {
      #expect(Promise.fulfilled(1).rejectionTrail == nil)
      let deferred = Deferred<Int>()
      #expect(deferred.promise.rejectionTrail == nil)
      withExtendedLifetime(deferred) {}
      // This rejection began before tracing was on.
      #expect(untraced.asVoid().rejectionTrail == nil)
    }
    let reports = Reports.unhandled { _ = tracing { Promise<Int>.rejected(TestError(1), line: 1).rejectionTrail } }
    #expect(reports == [Unhandled(1, line: 1)])
  }
}
