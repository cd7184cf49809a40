import PromiseContexts
import PromiseTesting
import TestSupport
import Testing

@Suite("What a world has found is told once", .bounded)
struct FindingsTests {
  @Test("rule 7.1: a rejection that was reported is not reported again, neither while it lives nor when it goes")
  func rejection() {
    let world = TestWorld()
    var promise: Promise<Int>? = world.run { .rejected(TestError()) }
    #expect(throws: WorldReport.self) { try world.verify() }
    #expect(throws: Never.self) { try world.verify() }
    #expect(promise != nil)
    promise = nil
    #expect(throws: Never.self) { try world.verify() }
  }

  @Test("row L3: who waits for promises hears of these alone, and what else is wrong stays for the check")
  func waiting() {
    let world = TestWorld()
    let promise = world.run { Promise.run { world.expect(false, "lost") } }
    #expect(throws: Never.self) { try world.waitForPromises(timeout: .zero) }
    #expect(promise.isFulfilled)
    let report = #expect(throws: WorldReport.self) { try world.verify() }
    #expect(report?.failures.count == 1)
  }

  @Test("row N4: an object that is given twice is told of twice, a promise that is given as well once more")
  func tracked() {
    let world = TestWorld()
    let promise = world.run { Promise.fulfilled(1) }
    world.track(promise)
    let report = #expect(throws: WorldReport.self) { try world.verify(.objects) }
    #expect(report?.objects.count == 2)
    withExtendedLifetime(promise) {}
  }

  @Test("row N4: what waits is told in the order in which it came, on whatever context")
  func order() {
    let world = TestWorld()
    let (one, two) = (world.serial("one"), world.serial("two"))
    for context in [two, one, two, one] { world.job(on: context) {} }
    let report = #expect(throws: WorldReport.self) { try world.verify(.waiting) }
    #expect(report?.waiting.map(\.context) == ["two", "one", "two", "one"])
  }

  @Test("rows G1 L3: a look, with a limit of zero, is refused nowhere")
  func look() {
    let context = ManualContext()
    let promise = Promise.run(on: context) {
      let waited = Promise.run(on: context) { 1 }
      let error = WaitProbe.wait(for: waited, limit: .zero)
      guard case .timedOut? = error else { return false }
      return true
    }
    context.runUntilIdle()
    #expect(promise.valueNow == true)
  }

  @Test("row N4: at the limit of steps the time has not moved further than the steps have")
  func limit() {
    let world = TestWorld(stepLimit: 3)
    for second in 1...9 { world.clock.schedule(after: .seconds(second)) {} }
    #expect(world.advance(by: .seconds(100)) == 3)
    #expect(world.time == .seconds(3))
    #expect(throws: WorldReport.self) { try world.verify([]) }
  }

  @Test("row N4: a test that does more than in its first run is found out")
  func moreThanBefore() {
    let runs = Locked(0)
    #expect(throws: NotDeterministic.self) {
      try TestWorld.exploreAll { world in
        let run = runs.increment()
        for number in 0..<(run == 1 ? 2 : 4) { world.sometime("\(number)") {} }
        world.runUntilIdle()
      }
    }
  }

  @Test("row N4: a failure that does not come back in the same order is no failure of that order")
  func notAgain() {
    let runs = Locked(0)
    #expect(throws: NotDeterministic.self) {
      try TestWorld.explore(schedules: 3, seed: 1) { world in
        let run = runs.increment()
        world.expect(run != 2)
      }
    }
  }

  @Test("row N4: timers are told in the order in which they are due")
  func timers() {
    let world = TestWorld()
    for second in [5, 1, 4, 2, 3] { world.clock.schedule(after: .seconds(second)) {} }
    let report = #expect(throws: WorldReport.self) { try world.verify(.timers) }
    #expect(report?.timers.map(\.remaining) == (1...5).map { .seconds($0) })
  }

  @Test("row N4: of many promises that live, none is forgotten for those that have gone")
  func many() {
    let world = TestWorld()
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

  @Test("rule 7.1: a rejection that lives is nobody's business where that is not checked, and is reported where it is")
  func livingRejection() {
    let world = TestWorld()
    let promise = world.run { Promise<Int>.rejected(TestError()) }
    #expect(throws: Never.self) { try world.verify(.running.subtracting(.unhandledRejections)) }
    let report = #expect(throws: WorldReport.self) { try world.verify() }
    #expect(report?.unhandledRejections.count == 1)
    withExtendedLifetime(promise) {}
  }
}
