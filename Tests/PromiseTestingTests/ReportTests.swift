import TestSupport
import Testing

@Suite("Tests in their own worlds and their reports", .leavingNothing, .bounded) struct ReportTests {
  /// Returns the error that a test of a world throws. A macro would put all its lines on one line, so this function
  /// calls the test.
  private func thrown(_ body: () throws -> Void) -> (any Error)? {
    do { try body() } catch { return error }
    return nil
  }

  @Test("A test that uses every feature and leaves nothing behind passes and returns its result")
  func clean() throws {
    let result = try TestWorld.run { world in
      let owner = Deferred<Int>()
      let serial = world.serial("s")
      let concurrent = world.concurrent("c")
      let all = owner.promise.map { $0 + 1 }.then(on: serial) { one in Promise.fulfilled(one).map { $0 + 1 } }
        .asyncMap { $0 + 1 }.tap(on: concurrent) { _ in }.tap(on: .main) { _ in }
      let failing = all.map { _ -> Int in throw TestError(1) }.recover { _ in 0 }
      world.clock.schedule(after: .seconds(1)) { owner.fulfill(1) }
      world.clock.schedule(after: .seconds(100)) {}.cancel()
      world.sometime("late") { all.cancel() }
      #expect(failing.isPending)
      let other = owner.promise.map { $0 * 10 }
      world.expect(try world.run(until: other) == 10)
      world.track(Tracked(Tracked.Census()))
      return (try? all.result?.get(), world.time)
    }
    #expect(result.0 == nil)
    #expect(result.1 == .seconds(1))
  }

  @Test("A report names what still runs behind a promise that has not finished", .rule("2.11"))
  func unfinished() throws {
    let world = TestWorld()
    let stopped = Deferred<Void>(fileID: "M/F", line: 9)
    let owner = world.run { Deferred<Int>(fileID: "M/F", line: 1) }
    world.run {
      owner.onCancelThen(fileID: "M/F", line: 2) { _ in stopped.promise }
      owner.promise.cancel()
    }
    try world.verify(.running.subtracting(.pendingPromises))
    let report = #expect(throws: WorldReport.self) { try world.verify(.all) }
    #expect(report?.unfinished.map(\.createdAt.line) == [1])
    #expect(report?.objects.isEmpty == true)
    #expect(
      report?.description == """
        1 thing is wrong in the world:
          cause: the owner of Promise<()> made at M/F:9, which is alive and has not settled it; 2 promises wait for it
          M/F:1: settled and not finished: Promise<Int>, cancelled: CancellationError()
        """, "\(report?.description ?? "")")
    stopped.fulfill()
    try world.verify()
  }

  @Test("A report begins with the cause, even if the world does not have it, and names operations")
  func causes() throws {
    let world = TestWorld()
    let dialog = Deferred<Int>(label: "dialog", fileID: "M/Dialog", line: 1)
    let waiting = (2...4).map { line in
      world.run { dialog.promise.map(fileID: "M/F", line: UInt(line)) { $0 } }
    }
    let report = #expect(throws: WorldReport.self) { try world.verify() }
    #expect(report?.causes.map(\.label) == ["dialog"])
    #expect(
      report?.description == """
        3 things are wrong in the world:
          cause: the owner of Promise<Int> "dialog" made at M/Dialog:1, which is alive and has not settled it; 4 promises wait for \
        it
          M/F:2: still pending: Promise<Int>, pending, map
          M/F:3: still pending: Promise<Int>, pending, map
          M/F:4: still pending: Promise<Int>, pending, map
        """, "\(report?.description ?? "")")
    dialog.fulfill(1)
    world.runUntilIdle()
    try world.verify()
    withExtendedLifetime(waiting) {}
  }

  @Test("The steps of cleanups are named as such, after a value and after a cancellation", arguments: [false, true])
  func cleanupSteps(isCancelled: Bool) throws {
    try TestWorld.run { world in
      let owner = Deferred<Int>()
      let result = owner.promise.alwaysThen(on: .main, fileID: "M/F", line: 3) { _ in Promise.fulfilled() }
      if isCancelled { result.cancel() } else { owner.fulfill(1) }
      let report = #expect(throws: WorldReport.self) { try world.verify(.waiting) }
      #expect(report?.waiting.map(\.action) == ["cleanup of Promise<Int>, alwaysThen at M/F:3"])
      world.runUntilIdle()
      if isCancelled { owner.fulfill(1) }
    }
  }

  @Test("Ready work at the end of a test runs before the check, but timers do not fire")
  func runsWhatIsReady() {
    let log = Log<Int>()
    let error = thrown {
      try TestWorld.run { world in
        _ = Promise.run { log.append(1) }.map { log.append(2) }
        world.clock.schedule(after: .nanoseconds(1)) { log.append(3) }
      }
    }
    #expect(log.entries == [1, 2])
    let report = error as? WorldReport
    #expect(report?.timers.count == 1)
    #expect(report.map(Leftover.found) == [.timers])
  }

  @Test("An error that the test throws takes precedence over its leftovers")
  func ownError() {
    let error = thrown {
      try TestWorld.run { world in
        world.expect(false)
        world.clock.schedule(after: .seconds(1)) {}
        throw TestError(5)
      }
    }
    #expect((error as? TestError)?.number == 5)
  }

  @Test("The checking parameter names the forbidden leftovers, and promises that the test returns may remain")
  func checking() throws {
    let owner = try TestWorld.run(checking: []) { world in
      world.clock.schedule(after: .seconds(1)) {}
      return Deferred<Int>()
    }
    owner.fulfill(1)
    let settled = try TestWorld.run(checking: .running) { _ in Promise.fulfilled(1) }
    #expect(settled.isFulfilled)
    let report = thrown { try TestWorld.run(checking: .timers) { _ = $0.clock.schedule(after: .seconds(1)) {} } }
    #expect((report as? WorldReport).map(Leftover.found) == [.timers])
  }

  @Test("A promise that a test secretly keeps alive is found, in sync and in async tests", arguments: [false, true])
  func leak(isAsync: Bool) {
    let box = Box<AnyPromise>()
    defer { box.value = nil }
    let line = #line + 1
    func keep() { box.value = Promise.fulfilled(1) }
    let error = thrown {
      if isAsync {
        try TestWorld.run { _ in
          await Task.yield()
          box.value = Promise.fulfilled(1, line: UInt(line))
        }
      } else {
        try TestWorld.run { _ in keep() }
      }
    }
    let report = error as? WorldReport
    #expect(report?.objects.map(\.createdAt.line) == [line])
    #expect(report.map(Leftover.found) == [.objects])
  }

  @Test("The report states the number of findings and describes each on a line with its place")
  func text() {
    var first = 0
    let error = thrown {
      try TestWorld.run(checking: .all) { world in
        let pending = Deferred<Int>()
        first = #line - 1
        let settled = Deferred<String>()
        settled.fulfill("a")
        settled.reject(TestError(77))
        _ = Promise<Int>.rejected(TestError(88))
        world.clock.schedule(after: .seconds(9)) { pending.fulfill(1) }
        world.expect(1 == 2, "what was expected")
      }
    }
    let lines = error.map { "\($0)".split(separator: "\n").map(String.init) } ?? []
    #expect(lines.count == 7, "\(lines)")
    #expect(lines.first?.contains("5") == true, "\(lines)")
    func says(_ line: Int, _ parts: String...) -> Bool {
      lines.dropFirst().contains { text in
        text.contains("PromiseTestingTests/ReportTests.swift:\(line)") && parts.allSatisfy { text.contains($0) }
      }
    }
    #expect(says(first, "Promise<Int>", "pending"))
    #expect(says(first + 2, "second", "77"))
    #expect(says(first + 5, "unhandled", "88"))
    #expect(says(first + 6, "9.0 seconds"))
    #expect(says(first + 7, "what was expected"))
  }

  @Test("Of each kind of thing a report describes forty, and counts the others")
  func manyThings() throws {
    let world = TestWorld()
    let owners = world.run { (0..<50).map { _ in Deferred<Int>(fileID: "M/F", line: 1) } }
    let report = #expect(throws: WorldReport.self) { try world.verify(.pendingPromises) }
    let text = try #require(report?.description)
    #expect(text.hasPrefix("50 things are wrong in the world:\n  cause: "))
    #expect(text.hasSuffix("\n  … 10 more like these"))
    #expect(text.split(separator: "\n").count { $0.contains("still pending") } == 40)
    #expect(report?.pending.count == 50)
    for owner in owners { owner.fulfill(1) }
  }

  @Test("A single finding is counted in the singular, and an error of several lines stays on one line")
  func singular() {
    let error = thrown {
      try TestWorld.run { _ in _ = Promise<Int>.rejected("one\ntwo") }
    }
    let lines = error.map { "\($0)".split(separator: "\n") } ?? []
    #expect(lines.count == 2, "\(lines)")
    #expect(lines.first?.contains("1 thing ") == true, "\(lines)")
  }

  @Test("A report counts a pending promise, and not what observes it")
  func observed() {
    let kept = Locked<Deferred<Int>?>(nil)
    let error = thrown {
      try TestWorld.run { world in
        let owner = Deferred<Int>()
        owner.promise.onSettled { _ in }.onProgress(on: world.pool) { _ in }
        kept.withLock { $0 = owner }
      }
    }
    #expect((error as? WorldReport)?.pending.count == 1)
  }

  @Test("The delivery of a progress is a step that names the observer, and no promise of the world")
  func deliveredProgress() {
    let kept = Locked<Deferred<Int>?>(nil)
    let error = thrown {
      try TestWorld.run { world in
        let owner = Deferred<Int>(fileID: "M/F", line: 1)
        owner.promise.onProgress(on: world.pool) { _ in }
        owner.report(progress: 0.5)
        kept.withLock { $0 = owner }
        try world.verify([.waiting, .objects])
      }
    }
    let report = error as? WorldReport
    #expect(report?.waiting.map { $0.action.hasPrefix("onProgress, M/F:1") } == [true], "\(report?.waiting ?? [])")
    #expect(report?.objects.isEmpty == true)
  }

  @Test("A report counts a promise whose owner was not made yet once")
  func ownerNotMade() {
    let context = ManualContext()
    let error = thrown { try TestWorld.run { _ in _ = Promise<Int>(on: context) { $0.fulfill(1) } } }
    #expect((error as? WorldReport)?.pending.count == 1)
    context.runUntilIdle()
  }
}
