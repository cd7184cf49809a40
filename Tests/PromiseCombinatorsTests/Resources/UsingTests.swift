import PromiseCombinators
import TestSupport
import Testing

@Suite("Resources", .leavingNothing) struct UsingTests {
  private let world = TestWorld()
  private let room = Room()

  /// Enters the room.
  private func start() -> Promise<Int> { world.start { Promise.using(room.enter, release: room.leave, room.use) } }

  /// Enters a room on a context, and returns the numbers of the errors that are reported as unhandled.
  private func unhandled(_ body: (_ start: () -> Promise<Int>, Room, ManualContext) -> Void) -> [Int] {
    let reports = reported {
      let room = Room()
      let context = ManualContext()
      let start = {
        let result = Promise.using(room.enter, release: room.leave, on: context, room.use)
        context.runUntilIdle()
        return result
      }
      body(start, room, context)
      context.runUntilIdle()
    }
    // Without the owners of the room that have settled nothing.
    return reports.filter { $0 > 0 }
  }

  private func fulfill(_ owner: Deferred<Int>, _ value: Int) { world.runUntilIdle(after: owner.fulfill(value)) }

  @Test(
    "A resource is acquired, used and released, and the result waits for the release, with the progress of the use",
    .rule("2.10", "5.4"))
  func order() {
    let result = start()
    room.entering.report(progress: 0.5)
    #expect(room.log.entries == ["enter"])
    #expect(result.progress == 0)
    fulfill(room.entering, 7)
    room.work.report(progress: 0.5)
    #expect(room.log.entries == ["enter", "use 7"])
    #expect(result.progress == 0.5)
    fulfill(room.work, 8)
    // The library may have bypassed the promise that has the closure's progress (rule 3.3).
    #expect(room.log.entries == ["enter", "use 7", "leave 7"])
    #expect(result.isPending)
    #expect(result.progress >= 0.5)
    room.leaving.fulfill()
    #expect(result.state.value == 8)
    #expect(result.progress == 1)
  }

  @Test("A resource is released if its closure throws", .rule("2.10"))
  func throwingUse() {
    let result = world.start { Promise<Int>.using(room.enter, release: room.leave) { _ in throw TestError(1) } }
    fulfill(room.entering, 7)
    #expect(room.log.entries.last == "leave 7")
    #expect(result.isPending)
    room.leaving.fulfill()
    #expect(result.failure == .test(1))
  }

  @Test(
    "If the acquisition fails, the closure is not called, nothing is released, and an error is reported if unhandled",
    .rule("2.10", "7.1"), arguments: [false, true])
  func failedAcquisition(isHandled: Bool) {
    let reports = unhandled { start, room, context in
      let result = start()
      context.runUntilIdle(after: room.entering.reject(TestError(1)))
      #expect(result.isRejected)
      #expect(room.log.entries == ["enter"])
      if isHandled { #expect(result.failure == .test(1)) }
    }
    #expect(reports == (isHandled ? [] : [1]))
  }

  @Test("The error of a release does not replace an error, and is reported", .rule("2.10", "7.1"))
  func failedReleaseAfterError() {
    let reports = unhandled { start, room, context in
      let result = start()
      context.runUntilIdle(after: room.entering.fulfill(7))
      context.runUntilIdle(after: room.work.reject(TestError(1)))
      room.leaving.reject(TestError(2))
      #expect(result.failure == .test(1))
    }
    #expect(reports == [2])
  }

  @Test(
    "A cancellation during the acquisition does not stop it, and the resource is released when it is acquired",
    .rule("2.10"), arguments: CancelForm.allCases)
  func cancelledAcquisition(_ form: CancelForm) {
    let result = start()
    world.runUntilIdle(after: form.apply(to: result))
    #expect(result.isCancelled)
    #expect(room.log.entries == ["enter"])
    fulfill(room.entering, 7)
    #expect(room.log.entries == ["enter", "leave 7"])
    #expect(room.leaving.fulfill())
  }

  @Test("An acquisition that fails after a cancellation is not reported", .rule("2.10", "7.1"))
  func failedAfterCancellation() {
    let reports = unhandled { start, room, _ in
      start().cancel()
      room.entering.reject(TestError(1))
      #expect(room.log.entries == ["enter"])
    }
    #expect(reports.isEmpty)
  }

  @Test("If the result is cancelled before the acquisition begins, nothing is acquired", .rule("2.10"))
  func cancelledBefore() {
    let result = world.run { Promise.using(room.enter, release: room.leave, room.use) }
    world.runUntilIdle(after: result.cancel())
    #expect(result.isCancelled)
    #expect(room.log.entries.isEmpty)
  }

  @Test(
    "A cancellation during the use gives the work up, and the resource is released after that",
    .rule("2.10", "4.6"), arguments: CancelForm.allCases)
  func cancelledUse(_ form: CancelForm) {
    let result = start()
    fulfill(room.entering, 7)
    form.apply(to: result)
    #expect(result.isCancelled)
    world.runUntilIdle()
    #expect(room.log.entries == ["enter", "use 7", "stopped", "leave 7"])
    #expect(room.leaving.fulfill())
  }

  @Test("The result goes on if the closure's promise is cancelled during the release", .rule("2.10", "4.0"))
  func workCancelledDuringRelease() {
    let result = start()
    fulfill(room.entering, 7)
    fulfill(room.work, 8)
    #expect(room.log.entries.last == "leave 7")
    room.work.promise.cancel()
    #expect(result.isPending)
    room.leaving.fulfill()
    #expect(result.state.value == 8)
  }

  @Test(
    "If the closure's promise is cancelled, the result waits for the release, and then has its reason",
    .rule("1.2", "2.10", "4.0"))
  func cancelledWork() {
    let result = start()
    fulfill(room.entering, 7)
    room.work.promise.cancel(reason: TestError(1))
    world.runUntilIdle()
    #expect(room.log.entries == ["enter", "use 7", "stopped", "leave 7"])
    #expect(result.isPending)
    room.leaving.fulfill()
    #expect(result.isCancelled)
    #expect(result.failure == .test(1))
  }

  @Test("A resource is not released while other consumers need the work", .rule("2.10", "4.4"))
  func sharedUse() {
    let kept = room.work.promise.map(on: world.main) { $0 }
    let result = start()
    fulfill(room.entering, 7)
    world.runUntilIdle(after: result.cancel(upstream: true))
    #expect(result.isCancelled)
    #expect(kept.isPending)
    #expect(room.log.entries.last == "use 7")
    fulfill(room.work, 8)
    #expect(kept.state.value == 8)
    #expect(room.log.entries.last == "leave 7")
    #expect(room.leaving.fulfill())
  }

  @Test("A resource is released if its context drops the job of the closure", .rule("2.10", "6.2"))
  func droppedJob() {
    let context = ManualContext()
    let result = Promise.using(room.enter, release: room.leave, on: context, room.use)
    context.runUntilIdle()
    room.entering.fulfill(7)
    context.dropAll()
    #expect(result.failure?.code == .contextDropped)
    context.runUntilIdle()
    #expect(room.log.entries == ["enter", "leave 7"])
    #expect(!result.isFinished)
    #expect(room.leaving.fulfill())
    #expect(result.isFinished)
  }

  @Test(
    "The inner of two resources is released before the outer one, even if the job of the closure is dropped",
    .rule("2.10", "2.11", "6.2"))
  func droppedInnerJob() {
    let outer = Room()
    let inner = Room()
    let context = ManualContext()
    let dropping = ManualContext()
    let result = Promise.using(
      Resource(outer.enter, release: outer.leave, on: context),
      Resource(inner.enter, release: inner.leave, on: context), on: dropping
    ) { _, _ in .fulfilled(0) }
    for room in [outer, inner] {
      context.runUntilIdle()
      room.entering.fulfill(7)
    }
    context.runUntilIdle()
    dropping.dropAll()
    context.runUntilIdle()
    #expect(inner.log.entries == ["enter", "leave 7"])
    #expect(outer.log.entries == ["enter"])
    inner.leaving.fulfill()
    context.runUntilIdle()
    #expect(outer.log.entries == ["enter", "leave 7"])
    #expect(!result.isFinished)
    outer.leaving.fulfill()
    #expect(result.isFinished)
    #expect(result.failure?.code == .contextDropped)
  }

  @Test("Acquisition and release go on if no client observes their promises", .rule("2.10", "4.6"))
  func unobserved() {
    let released = Locked(0)
    let result = world.start {
      Promise.using(
        { Promise.after(.seconds(1), fulfill: 7) },
        release: { number in Promise<Void>.after(.seconds(1)).tap { _ in released.withLock { $0 += number } } },
        { Promise.after(.seconds(1), fulfill: $0) })
    }
    result.cancel(upstream: true)
    world.advance(by: .seconds(3))
    #expect(released.withLock(\.self) == 7)
    #expect(world.armed == 0)
  }
}

@Suite("Resources in every order") struct UsingOrderTests {
  /// The way in which a phase ends.
  enum End: CaseIterable, Sendable { case value, error }

  @Test(
    "A resource of using is released once, after its use, whatever the order of events", .rule("2.10"),
    arguments: [nil] + CancelForm.allCases.map(Optional.some), End.allCases)
  func exhaustive(_ form: CancelForm?, _ use: End) throws {
    for (enter, leave) in [(End.value, End.value), (.error, .value), (.value, .error)] {
      // A failing release is reported if the result does not have its error.
      let exploration = try TestWorld.exploreAll(checking: .all.subtracting(.unhandledRejections)) { world in
        let room = Room()
        let result = Promise.using(room.enter, release: room.leave, room.use)
        world.sometime("entered") { room.entering.settle(enter == .value ? .success(7) : .failure(TestError(1))) }
        world.sometime("done") {
          guard room.work.promise.isPending else { return }
          room.work.settle(use == .value ? .success(8) : .failure(TestError(2)))
        }
        world.sometime("left") { room.leaving.settle(leave == .value ? .success(()) : .failure(TestError(3))) }
        if let form { world.sometime("gives up") { form.apply(to: result) } }
        world.runUntilIdle()
        Self.check(room, result, enter, use, leave, in: world)
      }
      #expect(exploration.isComplete)
    }
  }

  private static func check(
    _ room: Room, _ result: Promise<Int>, _ enter: End, _ use: End, _ leave: End, in world: TestWorld
  ) {
    let log = room.log.entries
    world.expect(!result.isPending, "the result is settled")
    let isAcquired = log.contains("enter") && enter == .value
    world.expect(log.count { $0 == "leave 7" } == (isAcquired ? 1 : 0), "the resource is released once: \(log)")
    world.expect(!log.contains("entering was stopped") && !log.contains("leaving was stopped"), "\(log)")
    if let used = log.firstIndex(of: "use 7"), let left = log.firstIndex(of: "leave 7") {
      world.expect(used < left, "released after its use: \(log)")
      if let stopped = log.firstIndex(of: "stopped") { world.expect(stopped < left, "released at the end: \(log)") }
    }
    guard !result.isCancelled else { return }
    let expected: Int? = enter == .error ? 1 : use == .error ? 2 : leave == .error ? 3 : nil
    world.expect(
      result.failure == expected.map(Failure.test) && (expected != nil || result.state.value == 8),
      "the first error decides")
  }
}
