import TestSupport
import Testing

@Suite("Reports of a world's findings", .bounded) struct FindingsTests {
  private let world = TestWorld()

  /// Returns the report of a check that must find something.
  private func report(_ checks: TestWorld.Checks = .running) -> WorldReport? {
    #expect(throws: WorldReport.self) { try world.verify(checks) }
  }

  @Test("A living rejection is reported by the first check for rejections, and by no later check", .rule("7.1"))
  func rejection() {
    var promise: Promise<Int>? = world.run { .rejected(TestError()) }
    #expect(throws: Never.self) { try world.verify(.running.subtracting(.unhandledRejections)) }
    #expect(report()?.unhandledRejections.count == 1)
    #expect(throws: Never.self) { try world.verify() }
    #expect(promise != nil)
    promise = nil
    #expect(throws: Never.self) { try world.verify() }
  }

  /// The ways in which a handler for errors is attached.
  enum Handler: CaseIterable { case link, asyncLink, observer }

  @Test(
    "A living rejection is not reported while its handler waits to run", .rule("7.1"), arguments: Handler.allCases)
  func waitingHandler(_ handler: Handler) throws {
    let promise = world.run { Promise<Int>.rejected(TestError()) }
    world.run {
      switch handler {
      case .link: _ = promise.catch(on: world.main) { _ in }
      case .asyncLink: _ = promise.asyncRecover { _ in 1 }
      case .observer: promise.onRejected(on: world.main) { _ in }
      }
    }
    try world.verify(.unhandledRejections)
    world.runUntilIdle()
    try world.verify()
  }

  @Test("A living rejection is reported once if a handler passes it on, and if only a hook waits to run", .rule("7.1"))
  func notHandled() throws {
    let promise = world.run { Promise<Int>.rejected(TestError()) }
    let passedOn = world.run { promise.always(on: world.main) { _ in } }
    try world.verify(.unhandledRejections)
    world.runUntilIdle()
    #expect(report()?.unhandledRejections.map(\.createdAt) == [passedOn.createdAt])
    let owner = world.run { Deferred<Int>() }
    owner.onEnd(on: world.main) { _ in }
    owner.reject(TestError())
    #expect(report(.unhandledRejections)?.unhandledRejections.map(\.createdAt) == [owner.promise.createdAt])
    world.runUntilIdle()
    try world.verify()
  }

  @Test("waitForPromises reports only promises and leaves other findings for the check")
  func waiting() {
    let promise = world.run { [world] in Promise.run { world.expect(false, "lost") } }
    #expect(throws: Never.self) { try world.waitForPromises(within: .zero) }
    #expect(promise.isFulfilled)
    #expect(report()?.failures.count == 1)
  }

  @Test("A promise of the world that is also tracked is reported twice")
  func tracked() {
    let promise = world.run { Promise.fulfilled(1) }
    world.track(promise)
    #expect(report(.objects)?.objects.count == 2)
    withExtendedLifetime(promise) {}
  }

  @Test("Waiting jobs are reported in the order in which they came, and timers in the order in which they are due")
  func order() {
    let one = world.serial("one")
    let two = world.serial("two")
    for context in [two, one, two, one] { world.job(on: context) {} }
    #expect(report(.waiting)?.waiting.map(\.context) == ["two", "one", "two", "one"])
    for second in [5, 1, 4, 2, 3] { world.clock.schedule(after: .seconds(second)) {} }
    #expect(report(.timers)?.timers.map(\.remaining) == (1...5).map { .seconds($0) })
  }

  @Test("Each of many living promises is reported, even if others have been deallocated")
  func many() {
    let kept = (0..<500).map { number in
      world.run {
        _ = Promise.fulfilled("gone")
        return Promise.fulfilled(number)
      }
    }
    #expect(report(.all)?.objects.count == 500)
    withExtendedLifetime(kept) {}
  }
}
