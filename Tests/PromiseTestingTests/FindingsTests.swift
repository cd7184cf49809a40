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
