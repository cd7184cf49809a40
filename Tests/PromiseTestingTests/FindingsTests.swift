import PromiseContexts
import PromiseTesting
import TestSupport
import Testing

@Suite("Reports of a world's findings", .bounded)
struct FindingsTests {
  private let world = TestWorld()

  @Test("A living rejection is reported by the first check for rejections, and by no later check", .rule("7.1"))
  func rejection() {
    var promise: Promise<Int>? = world.run { .rejected(TestError()) }
    #expect(throws: Never.self) { try world.verify(.running.subtracting(.unhandledRejections)) }
    let report = #expect(throws: WorldReport.self) { try world.verify() }
    #expect(report?.unhandledRejections.count == 1)
    #expect(throws: Never.self) { try world.verify() }
    #expect(promise != nil)
    promise = nil
    #expect(throws: Never.self) { try world.verify() }
  }

  @Test("waitForPromises reports only promises and leaves other findings for the check")
  func waiting() {
    let promise = world.run { [world] in Promise.run { world.expect(false, "lost") } }
    #expect(throws: Never.self) { try world.waitForPromises(timeout: .zero) }
    #expect(promise.isFulfilled)
    let report = #expect(throws: WorldReport.self) { try world.verify() }
    #expect(report?.failures.count == 1)
  }

  @Test("A promise of the world that is also tracked is reported twice")
  func tracked() {
    let promise = world.run { Promise.fulfilled(1) }
    world.track(promise)
    let report = #expect(throws: WorldReport.self) { try world.verify(.objects) }
    #expect(report?.objects.count == 2)
    withExtendedLifetime(promise) {}
  }

  @Test("Waiting jobs are reported in the order in which they came, and timers in the order in which they are due")
  func order() {
    let (one, two) = (world.serial("one"), world.serial("two"))
    for context in [two, one, two, one] { world.job(on: context) {} }
    let report = #expect(throws: WorldReport.self) { try world.verify(.waiting) }
    #expect(report?.waiting.map(\.context) == ["two", "one", "two", "one"])
    for second in [5, 1, 4, 2, 3] { world.clock.schedule(after: .seconds(second)) {} }
    let armed = #expect(throws: WorldReport.self) { try world.verify(.timers) }
    #expect(armed?.timers.map(\.remaining) == (1...5).map { .seconds($0) })
  }

  @Test("Each of many living promises is reported, even if others have been deallocated")
  func many() {
    let kept = (0..<500).map { number in
      world.run {
        _ = Promise.fulfilled("gone")
        return Promise.fulfilled(number)
      }
    }
    let report = #expect(throws: WorldReport.self) { try world.verify(.all) }
    #expect(report?.objects.count == 500)
    withExtendedLifetime(kept) {}
  }
}
