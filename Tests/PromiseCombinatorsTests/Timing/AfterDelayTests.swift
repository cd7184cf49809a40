import PromiseCombinators
import TestSupport
import Testing

@Suite("after and delay", .leavingNothing) struct AfterDelayTests {
  let world = TestWorld()
  let source = Deferred<Int>()

  @Test("after fulfils or rejects when the time has passed, and not before")
  func after() {
    let (value, void) = world.run { (Promise.after(.seconds(2), fulfill: 7), Promise.after(.seconds(2))) }
    let error = world.run { Promise<Int>.after(.seconds(2), reject: TestError(7)) }
    world.advance(by: .seconds(2) - .nanoseconds(1))
    #expect(value.isPending)
    #expect(error.isPending)
    #expect(void.isPending)
    world.advance(by: .nanoseconds(1))
    #expect(value.state.value == 7)
    #expect(error.failure == .test(7))
    #expect(void.isFulfilled)
  }

  @Test("after cancels its timer and releases its value when it is cancelled or no longer wanted", .rule("4.9"))
  func afterCancelled() {
    let census = Tracked.Census()
    var promise: Promise<Tracked>? = world.run { .after(.seconds(1), fulfill: Tracked(census)) }
    #expect(world.armed == 1)
    promise?.cancel()
    #expect(world.armed == 0)
    #expect(census.living == 0)
    promise = world.run { .after(.seconds(1), fulfill: Tracked(census)) }
    promise = nil
    #expect(world.armed == 0)
    #expect(census.living == 0)
  }

  @Test(
    "A promise of after that is cancelled while its timer fires is not settled a second time", .rule("1.3"),
    arguments: [false, true])
  func afterCancelledTooLate(_ rejects: Bool) {
    let reports = reported {
      let timers = TardyTimers()
      let promise =
        rejects
        ? Promise<Int>.after(.seconds(1), reject: TestError(1), timers: timers)
        : .after(.seconds(1), fulfill: 1, timers: timers)
      promise.cancel()
      timers.ring()
      #expect(promise.isCancelled)
    }
    #expect(reports.isEmpty)
  }

  @Test(
    "delay fulfils some time after its source, counted from the fulfilment of the source, and shows the same progress",
    .rule("5.4"))
  func delay() {
    let delayed = world.run { source.promise.delay(.seconds(1)) }
    source.report(progress: 0.5)
    #expect(delayed.progress == 0.5)
    world.advance(by: .seconds(5))
    source.fulfill(1)
    world.advance(by: .milliseconds(999))
    #expect(delayed.isPending)
    world.advance(by: .milliseconds(1))
    #expect(delayed.state.value == 1)
  }

  @Test("delay passes on a cancellation at once, with its reason")
  func delayedError() {
    let delayed = world.run { source.promise.delay(.seconds(1)) }
    source.promise.cancel(reason: TestError(2))
    #expect(delayed.isCancelled)
    #expect(delayed.failure == .test(2))
    #expect(world.armed == 0)
  }

  @Test(
    "after, delay and limits accept extremely long times, and may be cancelled or settled before",
    arguments: [Duration.seconds(Int64.max), .seconds(1_000_000_000_000)])
  func huge(_ time: Duration) {
    let census = Tracked.Census()
    let limited = world.run {
      source.timeout(time)
      return source.promise.timeout(time)
    }
    let all: [AnyPromise] = world.run {
      [
        Promise.after(time, fulfill: Tracked(census)), Promise<Int>.after(time, reject: TestError()),
        Promise.after(time), Promise.fulfilled(Tracked(census)).delay(time),
      ]
    }
    world.advance(by: .seconds(1_000_000))
    #expect(all.allSatisfy { $0.isPending })
    #expect(limited.isPending)
    #expect(census.living == 2)
    source.fulfill(1)
    #expect(limited.state.value == 1)
    #expect(world.armed == 4)
    for promise in all { promise.cancel() }
    #expect(all.allSatisfy { $0.isCancelled })
    #expect(world.armed == 0)
    #expect(census.living == 0)
  }

  @Test(
    "after, delay and limits with a time of zero or less end as soon as possible, but not inside the call",
    arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min)])
  func none(_ time: Duration) {
    let owner = world.run { Deferred<Int>() }
    let promises: [Promise<Int>] = world.run {
      owner.timeout(time)
      return [
        Promise.after(time, fulfill: 2), Promise<Int>.after(time, reject: TestError(1)),
        Promise.fulfilled(1).delay(time), source.promise.timeout(time), owner.promise,
      ]
    }
    #expect(promises.allSatisfy { $0.isPending })
    world.runUntilIdle()
    #expect(promises.map(\.state.value) == [2, nil, 1, nil, nil] && promises[1].failure == .test(1))
    #expect(promises[3].failure?.code == .timedOut && promises[4].failure?.code == .timedOut)
    #expect(source.promise.isCancelled)
    #expect(world.armed == 0)
  }

  @Test(
    "after that rejects with a CancellationError is cancelled, and the rejection is not reported", .rule("1.2", "7.1"))
  func cancellation() throws {
    let report = #expect(throws: WorldReport.self) {
      try TestWorld.run { world in
        let promise = Promise<Int>.after(.seconds(1), reject: CancellationError())
        // Observers are the consumers of these promises, which no client retains.
        Promise<Int>.after(.seconds(1), reject: CancellationError()).tap { _ in }.onProgress { _ in }
        _ = Promise<Int>.after(.seconds(1), reject: TestError(3)).tap { _ in }
        world.advance(by: .seconds(1))
        world.expect(promise.isCancelled)
      }
    }
    #expect(report?.unhandledRejections.map { ($0.error as? TestError)?.number } == [3])
  }

  @Test("A cancel of a delayed promise leaves the source alone and cancels a running timer", .rule("4.2"))
  func cancel() {
    let both = world.run { [source.promise.delay(.seconds(2)), source.promise.delay(.seconds(2))] }
    #expect(source.promise.debugDescription.contains("2 consumers"))
    both[0].cancel()
    #expect(source.promise.isPending)
    #expect(source.promise.debugDescription.contains("1 consumer"))
    #expect(world.armed == 0)
    source.fulfill(1)
    world.advance(by: .seconds(1))
    #expect(world.armed == 1)
    both[1].cancel(reason: TestError(1))
    #expect(world.armed == 0 && both[1].isCancelled && both[1].failure == .test(1))
  }
}
