import PromiseCombinators
import TestSupport
import Testing

@Suite("Waiting in a world", .bounded) struct WaitingInWorldTests {
  let world = TestWorld()

  // MARK: Waits for one promise

  @Test("A wait in a world runs the world and advances its time")
  func value() throws {
    let promise = world.run { world.number(1, after: .seconds(3_600)).map { $0 + 1 } }
    let value = try world.run { try promise.waitForValue(within: .seconds(3_600)) }
    #expect(value == 2)
    #expect(world.time == .seconds(3_600))
    let error = try world.run { try promise.map { _ -> Int in throw TestError(1) }.waitForError(within: .zero) }
    #expect(error as? TestError == TestError(1), "handlers take no time")
  }

  @Test("A waiter in a world is a consumer for the duration of its wait", .rule("4.0"))
  func consumer() throws {
    let inner = world.run { Deferred<Int>() }
    let outer = world.run { Deferred<Int>() }
    outer.follow(inner.promise)
    let survived = Log<Bool>()
    world.job(on: world.pool) {
      outer.promise.cancel()
      survived.append(inner.promise.isPending)
      inner.fulfill(1)
    }
    #expect(try world.run { try inner.promise.waitForValue(within: .zero) } == 1 && survived.entries == [true])
  }

  @Test("A waiter whose time is up in a world is no longer a consumer", .rule("4.9"))
  func leaves() {
    let (inner, outer) = world.run { (Deferred<Int>(), Deferred<Int>()) }
    outer.follow(inner.promise)
    waitError { try world.run(until: inner.promise, within: .seconds(1)) }
    _ = world.run { waitError { try inner.promise.waitForValue(within: .zero) } }
    outer.promise.cancel()
    #expect(inner.promise.isCancelled, "cancelled with its last consumer (rule 4.4)")
  }

  // MARK: Waits for all promises

  @Test("waitForPromises runs the current world until no promise is pending")
  func all() throws {
    let promises = world.run { [3, 1, 2].map { world.number($0, after: .seconds($0)).map { $0 * 2 } } }
    world.clock.schedule(after: .seconds(9)) { Issue.record("there was no need to go so far") }
    try world.run { try waitForPromises(within: .seconds(10)) }
    #expect(promises.map(\.state.value) == [6, 2, 4])
    #expect(world.time == .seconds(3))
  }

  @Test("waitForPromises also waits for promises that are made meanwhile")
  func madeMeanwhile() throws {
    let late = Box<Promise<Int>>()
    world.run {
      _ = world.number(1, after: .seconds(1)).map { [world] in late.value = world.number($0, after: .seconds(1)) }
    }
    try world.waitForPromises(within: .seconds(2))
    #expect(late.value?.state.value == 1)
    #expect(world.time == .seconds(2))
  }

  @Test(
    "waitForPromises reports only the promises that are still pending, with their places", arguments: [false, true])
  func pending(byName: Bool) {
    let owner = world.run { Deferred<Int>() }
    let line = #line - 1
    let late = world.number(1, after: .seconds(3))
    let early = world.number(1, after: .seconds(1))
    world.run { _ = Promise<Int>.rejected(TestError(1)) }
    let report = #expect(throws: WorldReport.self) {
      if byName {
        try world.waitForPromises(within: .seconds(2))
      } else {
        try world.run { try waitForPromises(within: .seconds(2)) }
      }
    }
    #expect(report?.pending.count == 2)
    #expect(early.state.value == 1)
    #expect(report?.pending.contains { $0.createdAt.line == line } == true)
    #expect(report.map(Leftover.found) == [.pending])
    withExtendedLifetime((owner, late)) {}
  }

  @Test("waitForPromises takes no step and no time if no promise is pending")
  func nothing() throws {
    world.clock.schedule(after: .zero) { Issue.record("nobody waits for that") }
    try world.waitForPromises(within: .seconds(1))
    #expect(world.time == .zero)
  }

  @Test("Outside a world waitForPromises fails and names the alternatives")
  func noWorld() throws {
    let text = waitError { try waitForPromises(within: .seconds(1)) }?.description ?? ""
    for use in [
      "TestWorld.run", "promise.waitForValue(within:)", "Promise.allSettled(promises).waitForValue(within:)",
    ] {
      #expect(text.contains(use), "\(text)")
    }
    // The recommended call works.
    let promises = [Promise.run { 1 }, Promise.run { throw TestError(2) }]
    #expect(try Promise.allSettled(promises).waitForValue(within: .seconds(600)).map { try? $0.get() } == [1, nil])
  }

  @Test("waitForPromises retains no promise")
  func keepsNone() throws {
    let watch = WeakBox()
    let owner = Box<Deferred<Int>>()
    let hasGone = Log<Bool>()
    owner.value = world.run { Deferred<Int>() }
    watch.object = owner.value?.promise
    world.clock.schedule(after: .seconds(1)) {
      owner.value?.fulfill(1)
      owner.value = nil
      hasGone.append(watch.object == nil)
    }
    try world.waitForPromises(within: .seconds(1))
    #expect(hasGone.entries == [true])
  }
}
