import TestSupport
import Testing

@Suite("The end of a world", .bounded) struct EndOfWorldTests {
  @Test("A capture that a timer releases at the end of its world may cancel another timer", .rule("6.5"))
  func cancelWhileEnding() {
    final class Canceller: Sendable {
      let timer: any ScheduledTimer
      init(_ timer: any ScheduledTimer) { self.timer = timer }
      deinit { timer.cancel() }
    }
    let world = TestWorld()
    for delay in 1...10 {
      let canceller = Canceller(world.clock.schedule(after: .seconds(20 - delay)) {})
      world.clock.schedule(after: .seconds(delay)) { withExtendedLifetime(canceller) {} }
    }
  }

  @Test("A timer cannot be cancelled after the end of its world, and a new one keeps nothing", .rule("4.9", "6.2"))
  func lateTimers() {
    var world: TestWorld? = TestWorld()
    let clock = world?.clock
    let timers = (0..<3).map { _ in clock?.schedule(after: .seconds(1)) {} }
    world = nil
    for timer in timers { #expect(timer?.cancel() == false) }
    let promise: Promise<Int>
    let timer: (any ScheduledTimer)?
    do {
      let owner = Deferred<Int>()
      promise = owner.promise
      timer = clock?.schedule(after: .seconds(1)) { owner.fulfill(1) }
    }
    #expect(promise.isRejected)
    #expect(timer?.cancel() == false)
  }

  @Test("A sleeper of a world that ends, or has ended, is woken by an error, and a cancelled one as such", .rule("4.9"))
  func sleepers() async {
    var world: TestWorld? = TestWorld()
    let clock = world?.clock
    let early = world?.run { Promise.task { try await clock?.sleep(for: .seconds(1)) } }
    world?.runUntilIdle()
    world = nil
    await #expect(throws: PromiseError.self) { try await early?.value }
    await #expect(throws: PromiseError.self) { try await clock?.sleep(for: .seconds(1)) }
    let task = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      try await clock?.sleep(for: .seconds(1))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("A Task that waits, or that has not started yet, continues after its world is deallocated")
  func tasks() async throws {
    let gate = Deferred<Int>()
    var world: TestWorld? = TestWorld()
    let waiting = world.map { world in Task(executorPreference: world.taskExecutor) { try await gate.promise.value } }
    world?.runUntilIdle()
    let unstarted = world.map { world in Task(executorPreference: world.taskExecutor) { 8 } }
    world = nil
    gate.fulfill(7)
    let values = (try await waiting?.value, await unstarted?.value)
    #expect(values == (7, 8))
  }

  @Test("Leftovers in a world do not retain the world, even if they refer to it", arguments: [true, false])
  func leftOver(_ throwsError: Bool) {
    let watch = WeakBox()
    #expect(throws: (any Error).self) {
      try TestWorld.run { world in
        watch.object = world
        let owner = Deferred<Int>()
        world.clock.schedule(after: .seconds(1)) { world.expect(owner.promise.isPending) }
        world.sometime("never") { world.expect(true) }
        if throwsError { throw TestError() }
      }
    }
    #expect(watch.object == nil)
  }

  @Test("The cancellation of a sleep is not reported as an unhandled rejection", .rule("7.1"))
  func cancelledSleep() throws {
    try TestWorld.run { world in
      let sleeping = Promise.task { try await world.clock.sleep(for: .seconds(1)) }
      world.runUntilIdle()
      sleeping.cancel()
      world.runUntilIdle()
    }
  }

  @Test("Async code does not start in a world that has ended")
  func asyncCodeAfterEnd() async {
    let world = TestWorld()
    world.end()
    let started: Promise<Void>
    do {
      let owner = Deferred<Void>()
      started = owner.promise
      let error = waitError { _ = try world.run { () async throws -> Bool in owner.fulfill() } }
      #expect(error?.description.contains("has ended") == true)
    }
    // The closure is released unrun.
    await #expect(throws: PromiseError.self) { try await started.value }
  }

  @Test("An abandoned world has ended, and its async code continues elsewhere")
  func givenUp() async {
    let world = TestWorld()
    let outside = Locked<CheckedContinuation<Void, Never>?>(nil)
    let ended = Deferred<Void>()
    #expect(throws: WaitError.self) {
      try world.run {
        await withCheckedContinuation { continuation in outside.withLock { $0 = continuation } }
        ended.fulfill()
      }
    }
    #expect(Promise.fulfilled(1).map(on: world.main) { $0 }.isRejected)
    outside.withLock { $0 }?.resume()
    await #expect(throws: Never.self) { try await ended.promise.value }
  }
}
