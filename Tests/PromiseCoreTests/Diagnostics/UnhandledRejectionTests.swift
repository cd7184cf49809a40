import TestSupport
import Testing

@Suite("Unhandled rejections", .rule("7.1")) struct UnhandledRejectionTests {
  private let context = ManualContext()

  /// Ways other than links to reject a promise of line 1.
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

  @Test("Each unhandled rejection is reported once, however the promise was rejected", arguments: Origin.allCases)
  func origins(origin: Origin) {
    expectUnhandled([Unhandled(origin.error, line: 1)]) {
      origin.leave(on: context)
      context.runUntilIdle()
    }
  }

  @Test("Reading the outcome of a promise handles its error, and asking whether it is rejected does not")
  func reads() {
    expectUnhandled([]) { _ = Promise<Int>.rejected(TestError(1)).state }
    expectUnhandled([]) { _ = Promise<Int>.rejected(TestError(1)).result }
    expectUnhandled([]) { _ = Promise<Int>.rejected(TestError(1)).error }
    expectUnhandled([Unhandled(1, line: 1)]) {
      let promise = Promise<Int>.rejected(TestError(1), line: 1)
      #expect(promise.isRejected)
      #expect(!promise.isPending)
      #expect(!promise.isFulfilled)
      #expect(!promise.isCancelled)
      _ = promise.root
    }
    // Reading a promise before it is rejected does not handle its error.
    expectUnhandled([Unhandled(1, line: 1)]) {
      let deferred = Deferred<Int>(line: 1)
      _ = (deferred.promise.state, deferred.promise.result)
      deferred.reject(TestError(1))
    }
  }

  @Test("Below a `catch`, an error that passes is not reported, and an error that is thrown is")
  func freshBelowCatch() {
    expectUnhandled([Unhandled(3, line: 3), Unhandled(1, line: 4)]) {
      let seen = Promise<Int>.rejected(TestError(1)).catch(on: context) { _ in }
      _ = seen.map(on: context) { $0 }.always(on: context) { _ in }.asVoid()
      _ = seen.recover(on: context, line: 3) { _ in throw TestError(3) }
      _ = seen.recover(on: context, line: 4) { error in throw error }
      context.runUntilIdle()
    }
  }

  @Test("A Task that is cancelled before the rejection handles nothing", .rule("4.7"), arguments: [false, true])
  func cancelledTask(cancelsSource: Bool) {
    let executor = ManualExecutor()
    expectUnhandled([Unhandled(1, line: 1)]) {
      let owner = Deferred<Int>()
      // Otherwise a Task that gives the promise up would cancel it.
      _ = owner.promise.map(on: context, line: 1) { $0 }
      let task = Task(executorPreference: executor) { [promise = owner.promise] in
        _ = try? await promise.value(cancelsSource: cancelsSource)
      }
      executor.runUntilIdle()
      task.cancel()
      owner.reject(TestError(1))
      executor.runUntilIdle()
    }
  }

  @Test("A rejection at the moment when a test looks for it is reported then or when the promise is deallocated")
  func takenDuringRejection() {
    for _ in 0..<2_000 {
      let taken = Log<Int>()
      let reports = Reports.unhandled {
        let deferred = Deferred<Int>()
        let promise = deferred.promise
        race([
          { deferred.reject(TestError(1)) },
          { while promise.isPending { if promise.takeUnhandledRejection() != nil { taken.append(1) } } },
        ])
      }
      #expect(reports.count + taken.entries.count == 1)
    }
  }
}
