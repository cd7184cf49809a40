import TestSupport
import Testing

@Suite("Leftovers that a world finds", .leavingNothing) struct CheckTests {
  let world = TestWorld()

  /// Returns the findings of the world, or `nil` if there are none.
  private func findings(_ checks: TestWorld.Checks = .running, in other: TestWorld? = nil) -> WorldReport? {
    do { try (other ?? world).verify(checks) } catch let report as WorldReport { return report } catch {
      Issue.record("\(error)")
    }
    return nil
  }

  private func isHere(_ site: CreationSite?, _ line: Int) -> Bool {
    site?.fileID == "PromiseTestingTests/CheckTests.swift" && site?.line == line
  }

  // MARK: Each kind of finding with its place

  @Test("The report lists pending promises, each with the place where it was made")
  func pending() {
    let owner = world.run { Deferred<Int>() }
    let derived = world.run { owner.promise.map { "\($0)" } }
    let line = #line - 2
    let report = findings()
    #expect(report?.pending.map(\.createdAt.line).sorted() == [line, line + 1])
    #expect(report?.pending.contains { isHere($0.createdAt, line) && $0.object.contains("Promise<Int>") } == true)
    #expect(report?.pending.contains { $0.object.contains("Promise<String>") } == true)
    #expect(report.map(Leftover.found) == [.pending])
    withExtendedLifetime(derived) {}
  }

  @Test("The report lists unhandled rejections, each with its error and place", .rule("7.1"))
  func unhandled() {
    world.run { _ = Promise<Int>.rejected(TestError(1)) }
    world.run { _ = Promise.fulfilled(1).map { _ -> Int in throw TestError(2) } }
    let line = #line - 2
    world.runUntilIdle()
    let report = findings()
    #expect(report?.unhandledRejections.map { ($0.error as? TestError)?.number } == [1, 2])
    #expect(report?.unhandledRejections.map { isHere($0.createdAt, $0.createdAt.line) } == [true, true])
    #expect(report?.unhandledRejections.map(\.createdAt.line) == [line, line + 1])
    #expect(report.map(Leftover.found) == [.unhandled])
  }

  @Test("The report omits handled rejections, and cancellations, even if the owner settles later", .rule("7.1", "1.3"))
  func omitted() throws {
    try TestWorld.run { world in
      Promise<Int>.rejected(TestError(1)).catch { _ in }
      _ = Promise<Int>.rejected(TestError(1)).result
      #expect(throws: TestError(2)) { try world.run(until: Promise<Int>.rejected(TestError(2))) }
      let owner = Deferred<Int>()
      owner.promise.cancel()
      #expect(!owner.fulfill(1))
    }
  }

  @Test("The report lists second settlements, each with the place where the promise was made", .rule("1.3"))
  func second() {
    let owner = world.run { Deferred<Int>() }
    let line = #line - 1
    owner.fulfill(1)
    owner.reject(TestError(2))
    owner.fulfill(3)
    let report = findings()
    #expect(report?.secondSettlements.map { isHere($0.createdAt, line) } == [true, true])
    #expect(report?.secondSettlements.map { ($0.error as? TestError)?.number } == [2, nil])
    #expect(report.map(Leftover.found) == [.second])
  }

  #if DEBUG
    @Test("The report lists work that a cancellation has left, with the place and the label", .rule("4.4"))
    func unstopped() {
      let owner = world.run { Deferred<Int>() }
      let line = #line - 1
      owner.onCancel { _ in }
      _ = owner.promise.labeled("price")
      owner.promise.map { $0 }.cancel()
      owner.fulfill(1)
      let report = findings()
      #expect(report?.unstoppedWork.map { isHere($0.createdAt, line) } == [true])
      #expect(report?.unstoppedWork.map { isHere($0.cancelledPromiseCreatedAt, line + 4) } == [true])
      #expect(report?.unstoppedWork.map(\.label) == ["price"])
      #expect(report?.description.contains("the work \"price\" goes on without a consumer") == true)
      #expect(report.map(Leftover.found) == [.unstopped])
      #expect(findings() == nil)
    }
  #endif

  @Test("The report lists armed timers, each with its place and its remaining time", .rule("4.9"))
  func timers() {
    world.clock.schedule(after: .seconds(5)) {}
    let line = #line - 1
    let cancelled = world.clock.schedule(after: .seconds(5)) {}
    world.advance(by: .seconds(2))
    cancelled.cancel()
    let report = findings()
    #expect(report?.timers.map { isHere($0.createdAt, line) } == [true])
    #expect(report?.timers.map(\.remaining) == [.seconds(3)])
    #expect(report.map(Leftover.found) == [.timers])
    world.advance(by: .seconds(3))
    #expect(findings() == nil)
  }

  @Test("The report lists waiting handlers and Tasks with context and known place, and verify runs none of them")
  func waiting() {
    let log = Log<Int>()
    let serial = world.serial("writer")
    Promise.fulfilled(1).onFulfilled(on: serial) { log.append($0) }
    let line = #line - 1
    Task(executorPreference: world.taskExecutor) { log.append(2) }
    let report = findings(.waiting)
    #expect(report?.waiting.count == 2)
    #expect(log.entries.isEmpty)
    let handler = report?.waiting.first { $0.context == "writer" }
    #expect(handler?.time == .zero)
    #expect(
      handler?.action.contains("PromiseTestingTests/CheckTests.swift:\(line)") == true, "\(report?.waiting ?? [])")
    #expect(report.map(Leftover.found) == [.waiting])
    world.runUntilIdle()
    #expect(findings() == nil)
    #expect(log.entries == [1, 2])
  }

  @Test("The report lists promises that are still alive, such as a promise in a reference cycle", .rule("6.3"))
  func cycle() {
    let box = Box<AnyPromise>()
    defer { box.value = nil }
    world.run { box.value = Promise.fulfilled(box) }
    let line = #line - 1
    let report = findings(.all)
    #expect(report?.objects.map { isHere($0.createdAt, line) } == [true])
    #expect(report?.objects.first?.object.contains("Promise<") == true)
    #expect(report.map(Leftover.found) == [.objects])
    #expect(findings(.running) == nil)
    box.value = nil
    #expect(findings(.all) == nil)
  }

  @Test("The report lists living tracked objects, each with the place where tracking began")
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

  @Test("Failed expectations are reported with comment and place, even in handlers and for thrown errors")
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

  @Test("Each check can be left out and can be the only check", arguments: Leftover.allCases)
  func switches(_ kind: Leftover) {
    let one = WorldWithLeftovers()
    let others = WorldWithLeftovers()
    #expect(findings(kind.check, in: one.world).map(Leftover.found) == [kind])
    #expect(
      findings(.all.subtracting(kind.check), in: others.world).map(Leftover.found)
        == Set(Leftover.allCases).subtracting([kind])
    )
    #expect(findings([], in: others.world) == nil)
    // A check that was left out still reports its findings later.
    #expect(findings(.all, in: others.world).map { Leftover.found($0).contains(kind) } == true)
  }

  @Test("A past event is reported once, and a persisting leftover is reported each time")
  func twice() {
    let leftovers = WorldWithLeftovers()
    leftovers.world.expect(false, "noted")
    let first = findings(.all, in: leftovers.world)
    let second = findings(.all, in: leftovers.world)
    #expect(first.map(Leftover.found) == Set(Leftover.allCases))
    #expect(first?.failures.count == 1)
    #expect(second.map(Leftover.found) == [.pending, .timers, .waiting, .objects])
    #expect(second?.failures.isEmpty == true)
  }

  @Test("A world reports nothing from outside or from another world")
  func outside() {
    let other = WorldWithLeftovers()
    let owner = Deferred<Int>()
    #expect(findings(.all) == nil)
    withExtendedLifetime((other, owner)) {}
  }
}
