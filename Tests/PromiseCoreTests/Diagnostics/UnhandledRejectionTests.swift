import PromiseCore
import TestSupport
import Testing

@Suite("Unhandled rejections")
struct UnhandledRejectionTests {
  private let context = ManualContext()

  @Test("rule 7.1, row L14: a promise that nobody looked at is reported once, with its error and where it was made")
  func dropped() throws {
    let reports = Reports()
    reports.collect { _ = Promise<Int>.rejected(TestError(1), fileID: "Module/File.swift", line: 12) }
    #expect(reports.unhandled == [Unhandled(1, line: 12)])
    let report = try #require(reports.rejections.entries.first)
    // Other tests trace meanwhile, which says more.
    #expect(report.description.hasPrefix("Module/File.swift:12: unhandled rejection: TestError(number: 1)"))
  }

  /// Ways in which a promise of line 1 comes to be rejected, apart from links.
  enum Origin: CaseIterable {
    case born, catching, thrownByOwner, thrownByOwnerOnContext, runOnContext, owner, settle, resolve, brokenOwner
    case unheldDeferred, followed, shielded, asVoid

    func leave(on context: ManualContext) {
      switch self {
      case .born: _ = Promise<Int>.rejected(TestError(1), line: 1)
      case .catching: _ = Promise<Int>(line: 1, catching: { throw TestError(1) })
      case .thrownByOwner: _ = Promise<Int>(line: 1) { (_: Deferred<Int>) in throw TestError(1) }
      case .thrownByOwnerOnContext: _ = Promise<Int>(on: context, line: 1) { _ in throw TestError(1) }
      case .runOnContext: _ = Promise<Int>.run(on: context, line: 1) { throw TestError(1) }
      case .owner: Deferred<Int>(line: 1).reject(TestError(1))
      case .settle: Deferred<Int>(line: 1).settle(.failure(TestError(1)))
      case .resolve: Deferred<Int>(line: 1).resolve(nil, TestError(1))
      case .brokenOwner: _ = Promise<Int>(line: 1) { _ in }
      case .unheldDeferred: _ = Deferred<Int>(line: 1)
      case .followed: Deferred<Int>(line: 1).follow(.rejected(TestError(1), line: 2))
      case .shielded: _ = Promise<Int>.rejected(TestError(1), line: 2).shielded(line: 1)
      case .asVoid: _ = Promise<Int>.rejected(TestError(1), line: 2).asVoid(line: 1)
      }
    }

    var error: String { self == .brokenOwner || self == .unheldDeferred ? "broken" : "1" }
  }

  @Test("rule 7.1: however it came to be rejected, once", arguments: Origin.allCases)
  func origins(origin: Origin) {
    let reports = Reports.unhandled {
      origin.leave(on: context)
      context.runUntilIdle()
    }
    #expect(reports == [Unhandled(origin.error, line: 1)])
  }

  @Test("rule 7.1: whoever reads the error has looked at it; who asks whether there is one has not")
  func reads() {
    #expect(Reports.unhandled { _ = Promise<Int>.rejected(TestError(1)).state } == [])
    #expect(Reports.unhandled { _ = Promise<Int>.rejected(TestError(1)).result } == [])
    let asked = Reports.unhandled {
      let promise = Promise<Int>.rejected(TestError(1), line: 1)
      #expect(promise.isRejected && !promise.isPending && !promise.isFulfilled && !promise.isCancelled)
      _ = promise.root
    }
    #expect(asked == [Unhandled(1, line: 1)])
  }

  @Test("rule 7.1: to read a promise before it is rejected is not to look at its error")
  func readTooEarly() {
    let reports = Reports.unhandled {
      let deferred = Deferred<Int>(line: 1)
      _ = deferred.promise.state
      _ = deferred.promise.result
      deferred.reject(TestError(1))
    }
    #expect(reports == [Unhandled(1, line: 1)])
  }

  @Test("rule 7.1: `catch` passes the rejection on as looked at, however far")
  func catchInherits() {
    let reports = Reports.unhandled {
      let seen = Promise<Int>.rejected(TestError(1)).catch(on: context) { _ in }
      let far = seen.map(on: context) { $0 }.always(on: context) { _ in }.asVoid()
      let followed = Deferred<Void>()
      followed.follow(far)
      _ = Promise.fulfilled(1).then(on: context) { _ in followed.promise.shielded() }
      context.runUntilIdle()
      // Attached when all of it is settled, too.
      _ = far.recover(from: PromiseError.self, on: context) { _ in }
      context.runUntilIdle()
    }
    #expect(reports == [])
  }

  @Test("rule 7.1: what is thrown below a `catch` starts afresh")
  func freshBelowCatch() {
    let reports = Reports.unhandled {
      let seen = Promise<Int>.rejected(TestError(1)).catch(on: context) { _ in }
      _ = seen.recover(on: context, line: 3) { _ in throw TestError(3) }
      _ = seen.recover(on: context, line: 4) { error in throw error }
      context.runUntilIdle()
    }
    #expect(reports == [Unhandled(3, line: 3), Unhandled(1, line: 4)])
  }

  @Test("rule 7.1: each branch has its own duty: who looks at a promise has not looked at what is derived from it")
  func branches() {
    let reports = Reports.unhandled {
      let promise = Promise<Int>.rejected(TestError(1), line: 1)
      promise.onRejected(on: context) { _ in }
      promise.map(on: context, line: 2) { $0 }.always(on: context, line: 3) { _ in }
      promise.catch(on: context, line: 4) { _ in }
      context.runUntilIdle()
    }
    #expect(reports == [Unhandled(1, line: 3)])
  }

  @Test("rule 7.1: the end of a chain that catches is silent, wherever the error came from", arguments: 0...3)
  func chains(failing: Int) {
    let reports = Reports.unhandled {
      let deferred = Deferred<Int>()
      var promise = deferred.promise
      for step in 1...3 {
        promise = promise.then(on: context) { value in
          if step == failing { throw TestError(step) }
          return step == 2 ? Promise.fulfilled(value).map(on: context) { $0 } : .fulfilled(value)
        }
      }
      promise.catch(on: context) { _ in }
      if failing == 0 { deferred.reject(TestError(0)) } else { deferred.fulfill(1) }
      context.runUntilIdle()
    }
    #expect(reports == [])
  }
}
