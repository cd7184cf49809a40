import PromiseContexts
import TestSupport
import Testing

@Suite("What a world finds left behind", .leavingNothing)
struct CheckTests {
  let world = TestWorld()

  /// What is found, if anything.
  private func findings(_ checks: TestWorld.Checks = .running, in other: TestWorld? = nil) -> WorldReport? {
    do { try (other ?? world).verify(checks) } catch let report as WorldReport { return report } catch {
      Issue.record("\(error)")
    }
    return nil
  }

  private func isHere(_ site: CreationSite?, _ line: Int) -> Bool {
    site?.fileID == "PromiseTestingTests/CheckTests.swift" && site?.line == line
  }

  // MARK: Each thing, with its place

  @Test("row N4: pending promises, each with the place where it was made")
  func pending() {
    let owner = world.run { Deferred<Int>() }
    let derived = world.run { owner.promise.map { "\($0)" } }
    let line = #line - 2
    let report = findings()
    #expect(report?.pending.map(\.createdAt.line).sorted() == [line, line + 1])
    #expect(report?.pending.contains { isHere($0.createdAt, line) && $0.object.contains("Promise<Int>") } == true)
    #expect(report?.pending.contains { $0.object.contains("Promise<String>") } == true)
    #expect(report.map(Kind.found) == [.pending])
    withExtendedLifetime(derived) {}
  }

  @Test("rule 7.1: rejections that nobody looked at, each with its error and place")
  func unhandled() {
    world.run { _ = Promise<Int>.rejected(TestError(1)) }
    world.run { _ = Promise.fulfilled(1).map { _ -> Int in throw TestError(2) } }
    let line = #line - 2
    world.runUntilIdle()
    let report = findings()
    #expect(report?.unhandledRejections.map { ($0.error as? TestError)?.number } == [1, 2])
    #expect(report?.unhandledRejections.map { isHere($0.createdAt, $0.createdAt.line) } == [true, true])
    #expect(report?.unhandledRejections.map(\.createdAt.line) == [line, line + 1])
    #expect(report.map(Kind.found) == [.unhandled])
  }

  @Test("rule 7.1: a rejection that catch, a read or a waiter has seen is none of them, nor is a cancelled one")
  func looked() throws {
    try TestWorld.run { world in
      Promise<Int>.rejected(TestError(1)).catch { _ in }
      _ = Promise<Int>.rejected(TestError(1)).result
      #expect(throws: TestError(2)) { try world.run(until: Promise<Int>.rejected(TestError(2))) }
      let owner = Deferred<Int>()
      owner.promise.cancel()
      withExtendedLifetime(owner) {}
    }
  }

  @Test("rule 1.3: second settlements, each with the place where the promise was made")
  func second() {
    let owner = world.run { Deferred<Int>() }
    let line = #line - 1
    owner.fulfill(1)
    owner.reject(TestError(2))
    owner.fulfill(3)
    let report = findings()
    #expect(report?.secondSettlements.map { isHere($0.createdAt, line) } == [true, true])
    #expect(report?.secondSettlements.map { ($0.error as? TestError)?.number } == [2, nil])
    #expect(report.map(Kind.found) == [.second])
  }

  @Test("rule 1.3: an owner that had not heard of a cancellation has done nothing wrong")
  func secondAfterCancel() {
    let owner = world.run { Deferred<Int>() }
    owner.promise.cancel()
    #expect(!owner.fulfill(1))
    #expect(findings() == nil)
  }

  @Test("rule 4.9: timers that are armed, each with its place and what is left of it")
  func timers() {
    world.clock.schedule(after: .seconds(5)) {}
    let line = #line - 1
    let cancelled = world.clock.schedule(after: .seconds(5)) {}
    world.advance(by: .seconds(2))
    cancelled.cancel()
    let report = findings()
    #expect(report?.timers.map { isHere($0.createdAt, line) } == [true])
    #expect(report?.timers.map(\.remaining) == [.seconds(3)])
    #expect(report.map(Kind.found) == [.timers])
    world.advance(by: .seconds(3))
    #expect(findings() == nil)
  }

  @Test(
    "row N4: handlers and Tasks that have not run, each with its context and, if known, its place; verify runs nothing")
  func waiting() {
    let log = Log<Int>()
    let serial = world.serial("writer")
    Promise.fulfilled(1).onFulfilled(on: serial) { log.append($0) }
    let line = #line - 1
    Task(executorPreference: world.taskExecutor) { log.append(2) }
    let report = findings(.waiting)
    #expect(report?.waiting.count == 2 && log.entries.isEmpty)
    let handler = report?.waiting.first { $0.context == "writer" }
    #expect(handler?.time == .zero)
    #expect(
      handler?.action.contains("PromiseTestingTests/CheckTests.swift:\(line)") == true, "\(report?.waiting ?? [])")
    #expect(report.map(Kind.found) == [.waiting])
    world.runUntilIdle()
    #expect(findings() == nil && log.entries == [1, 2])
  }

  @Test("rule 6.3: promises that live, though nobody should hold them, as of a cycle of the test's own")
  func cycle() {
    let box = Box<AnyPromise>()
    defer { box.value = nil }
    world.run { box.value = Promise.fulfilled(box) }
    let line = #line - 1
    let report = findings(.all)
    #expect(report?.objects.map { isHere($0.createdAt, line) } == [true])
    #expect(report?.objects.first?.object.contains("Promise<") == true)
    #expect(report.map(Kind.found) == [.objects])
    #expect(findings(.running) == nil)
    box.value = nil
    #expect(findings(.all) == nil)
  }

  @Test("row N4: objects that the world was told of and that live, with the place where it was told")
  func tracked() {
    let census = Tracked.Census()
    var kept: Tracked? = world.track(Tracked(census))
    let line = #line - 1
    world.track(Tracked(census))
    #expect(census.living == 1, "a world keeps nothing alive that it tracks")
    let report = findings(.all)
    #expect(report?.objects.map { isHere($0.createdAt, line) } == [true])
    #expect(report?.objects.first?.object.contains("Tracked") == true)
    #expect(findings(.running) == nil)
    withExtendedLifetime(kept) {}
    kept = nil
    #expect(findings(.all) == nil)
  }

  @Test("row N4: what a test expected, with its comment and place, also from a handler; a throw is noted")
  func expectations() {
    world.expect(true, "is true")
    world.expect(1 + 1 == 3, "arithmetic")
    let line = #line - 1
    world.job(on: world.pool) { [world] in world.expect(false, "in a handler") }
    world.expect(try { throw TestError(8) }(), "throws")
    world.runUntilIdle()
    let report = findings([])
    #expect(report?.failures.count == 3)
    #expect(report?.failures.first?.contains("PromiseTestingTests/CheckTests.swift:\(line)") == true)
    #expect(report?.failures.first?.contains("arithmetic") == true)
    #expect(report?.failures.contains { $0.contains("TestError") && $0.contains("8") } == true)
    #expect(report?.failures.contains { $0.contains("in a handler") } == true)
  }

  // MARK: Checks that are on and off

  @Test("row N4: each check can be left out, and can be the only one", arguments: Kind.allCases)
  func switches(_ kind: Kind) {
    let (one, others) = (Mess(), Mess())
    #expect(findings(kind.check, in: one.world).map(Kind.found) == [kind])
    #expect(
      findings(.all.subtracting(kind.check), in: others.world).map(Kind.found) == Set(Kind.allCases).subtracting([kind])
    )
    #expect(findings([], in: others.world) == nil)
  }

  @Test("row N4: a check that was left out has forgotten nothing", arguments: Kind.allCases)
  func later(_ kind: Kind) {
    let mess = Mess()
    _ = findings(.all.subtracting(kind.check), in: mess.world)
    #expect(findings(.all, in: mess.world).map { Kind.found($0).contains(kind) } == true)
  }

  @Test("row N4: what has happened is reported once, what is there each time")
  func twice() {
    let mess = Mess()
    mess.world.expect(false, "noted")
    let (first, second) = (findings(.all, in: mess.world), findings(.all, in: mess.world))
    #expect(first.map(Kind.found) == Set(Kind.allCases) && first?.failures.count == 1)
    #expect(second.map(Kind.found) == [.pending, .timers, .waiting, .objects] && second?.failures.isEmpty == true)
  }

  @Test("row N4: what is outside of the world, or in another, is not its business")
  func outside() {
    let other = Mess()
    let owner = Deferred<Int>()
    #expect(findings(.all) == nil)
    withExtendedLifetime((other, owner)) {}
  }
}
