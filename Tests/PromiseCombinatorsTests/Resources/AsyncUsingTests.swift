import PromiseCombinators
import TestSupport
import Testing

@Suite("Resources with async closures", .rule("2.10")) struct AsyncUsingTests {
  /// Starts the use of a room by async closures, in the world of the calling code.
  private static func start(_ room: Room) -> Promise<Int> {
    Promise.asyncUsing(
      { try await room.enter().value },
      release: { number in
        try await room.leave(number).value
        // `value` of a settled promise does not throw in a cancelled Task.
        if Task.isCancelled { room.log.append("leaving was stopped") }
      },
      { number in
        defer { room.log.append("returned") }
        return try await room.use(number).value(cancelsSource: true)
      })
  }

  @Test("A resource is acquired, used and released, and the result waits for the release")
  func order() throws {
    try TestWorld.run { world in
      let room = Room()
      let result = Self.start(room)
      world.runUntilIdle()
      world.runUntilIdle(after: room.entering.fulfill(7))
      world.runUntilIdle(after: room.work.fulfill(8))
      #expect(room.log.entries == ["enter", "use 7", "returned", "leave 7"])
      #expect(result.isPending)
      world.runUntilIdle(after: room.leaving.fulfill())
      #expect(result.state.value == 8)
    }
  }

  @Test(
    "An async use waits until the promises of its resource have finished", .rule("2.11"), arguments: ["enter", "leave"])
  func finish(late name: String) throws {
    try TestWorld.run { world in
      let log = Log<String>()
      let work = Deferred<Void>()
      let stopped = Deferred<Void>()
      work.onCancelThen { _ in stopped.promise }
      // The promise with that name is fulfilled after a second, and then has not finished.
      @Sendable func step(_ step: String) -> Promise<Void> {
        log.append(step)
        return step == name ? work.promise.timeout(.seconds(1)).recover { _ in } : .fulfilled(())
      }
      let room = Resource({ step("enter") }, release: { step("leave") })
      let result = Promise<Int>.asyncUsing(room) { log.append("use", returning: 7) }
      world.advance(by: .seconds(1))
      #expect(work.promise.isCancelled)
      #expect(log.entries == (name == "enter" ? ["enter"] : ["enter", "use", "leave"]))
      #expect(result.isPending)
      world.runUntilIdle(after: stopped.fulfill())
      #expect(log.entries == ["enter", "use", "leave"])
      #expect(result.state.value == 7)
    }
  }

  @Test(
    "The resource is released when its cancelled closure has returned, and a failed release is reported",
    .rule("7.1"), arguments: CancelForm.allCases, [false, true])
  func cancelledUse(_ form: CancelForm, releaseFails: Bool) throws {
    let checks = releaseFails ? TestWorld.Checks.all.subtracting(.unhandledRejections) : .all
    try TestWorld.run(checking: checks) { world in
      let log = Log<String>()
      let running = Deferred<Void>()
      let mayReturn = Deferred<Void>()
      let result = Promise<Int>.asyncUsing(
        { 7 },
        release: { number in
          log.append("leave \(number)")
          if releaseFails { throw TestError(2) }
        },
        { number in
          running.fulfill()
          // Not ended by a cancellation of the Task.
          await mayReturn.promise.settled()
          return log.append("returned", returning: number)
        })
      try world.run(until: running.promise)
      world.runUntilIdle(after: form.apply(to: result))
      #expect(result.isCancelled)
      #expect(log.entries.isEmpty)
      world.runUntilIdle(after: mayReturn.fulfill())
      #expect(log.entries == ["returned", "leave 7"])
      #expect(world.takeUnhandled() == (releaseFails ? [2] : []))
    }
  }

  @Test("A result that is cancelled before its Task begins acquires nothing", arguments: CancelForm.allCases)
  func cancelledBefore(_ form: CancelForm) {
    let world = TestWorld()
    let room = Room()
    let work = Deferred<Void>()
    let result = world.run { Self.start(room) }
    work.onCancel { _ in
      // The hook that cancels the Task runs when this hook has returned (rule 4.5).
      world.runUntilIdle(after: form.apply(to: result))
    }
    world.runUntilIdle(after: work.promise.cancel())
    #expect(result.isCancelled)
    #expect(room.log.entries.isEmpty)
    room.end()
  }

  @Test("If the result is cancelled during the acquisition, the closure is not called", arguments: CancelForm.allCases)
  func cancelledAcquisition(_ form: CancelForm) throws {
    try TestWorld.run { world in
      let room = Room()
      let result = Self.start(room)
      world.runUntilIdle()
      world.runUntilIdle(after: form.apply(to: result))
      #expect(result.isCancelled)
      #expect(room.log.entries == ["enter"])
      world.runUntilIdle(after: room.entering.fulfill(7))
      #expect(room.log.entries == ["enter", "leave 7"])
      room.end()
      world.runUntilIdle()
    }
  }

  @Test("The error of a release replaces a value, and does not replace an error", arguments: [1, nil])
  func failedRelease(_ number: Int?) {
    let world = TestWorld()
    let result = world.start {
      Promise<Int>.asyncUsing(
        { 7 }, release: { _ in throw TestError(2) },
        { value in
          if let number { throw TestError(number) }
          return value
        })
    }
    #expect(result.failure == .test(number ?? 2))
    #expect(world.takeUnhandled() == (number == nil ? [] : [2]))
  }

  @Test(
    "A resource of asyncUsing is released once, after its use, whatever the order of events",
    arguments: [nil] + CancelForm.allCases.map(Optional.some))
  func exhaustive(_ form: CancelForm?) throws {
    let exploration = try TestWorld.exploreAll { world in
      let room = Room()
      let result = Self.start(room)
      world.sometime("entered") { room.entering.fulfill(7) }
      world.sometime("done") { if room.work.promise.isPending { room.work.fulfill(8) } }
      world.sometime("left") { room.leaving.fulfill() }
      if let form { world.sometime("gives up") { form.apply(to: result) } }
      world.runUntilIdle()
      let log = room.log.entries
      world.expect(!result.isPending, "the result is settled")
      world.expect(log.count { $0 == "leave 7" } == (log.contains("enter") ? 1 : 0), "released once: \(log)")
      world.expect(!log.contains("entering was stopped") && !log.contains("leaving was stopped"), "\(log)")
      if let returned = log.firstIndex(of: "returned"), let left = log.firstIndex(of: "leave 7") {
        world.expect(returned < left, "released after its use: \(log)")
      }
      if !result.isCancelled { world.expect(result.state.value == 8) }
    }
    #expect(exploration.isComplete)
  }
}

extension Promise {
  /// Waits until the promise is settled, even in a cancelled Task.
  fileprivate func settled() async {
    await withCheckedContinuation { continuation in onSettled { _ in continuation.resume() } }
  }
}
