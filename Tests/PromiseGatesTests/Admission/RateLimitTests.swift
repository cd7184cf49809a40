import PromiseCombinators
import PromiseGates
import TestSupport
import Testing

@Suite("RateLimit") struct RateLimitTests {
  let world = TestWorld()
  private let context = ManualContext()
  let starts = Log<Duration>()

  private func start(_ limit: RateLimit, on context: (any ExecutionContext)? = nil) -> Promise<Int> {
    world.run {
      limit.run(on: context ?? world.main) { [starts, clock = world.clock] in
        starts.append(clock.elapsed, returning: .fulfilled(starts.entries.count))
      }
    }
  }

  private func limit(_ count: Int, _ period: Duration) -> RateLimit { world.run { RateLimit(count, per: period) } }

  @Test("No interval as long as the period has more starts than the limit allows")
  func sliding() {
    let limit = limit(2, .seconds(10))
    let first = [start(limit)]
    world.advance(by: .seconds(6))
    let others = (0..<4).map { _ in start(limit) }
    world.advance(by: .seconds(100))
    #expect(starts.entries == [0, 6, 10, 16, 20].map { .seconds($0) })
    #expect((first + others).allSatisfy { $0.isFulfilled })
    #expect(world.armed == 0)
  }

  @Test("An operation starts in its time even if the closure of the one before has not returned")
  func longClosure() {
    let limit = limit(1, .seconds(10))
    let first = ManualContext()
    let second = ManualContext()
    let counts = Log<Int>()
    let results = world.run {
      [
        limit.run(on: first) { [world] in
          world.advance(by: .seconds(10))
          counts.append(second.count)
          return Promise.fulfilled(1)
        },
        limit.run(on: second) { Promise.fulfilled(2) },
      ]
    }
    first.runUntilIdle()
    #expect(counts.entries == [1])
    second.runUntilIdle()
    #expect(results.allSatisfy { $0.isFulfilled })
  }

  @Test("Operations may outlast the period or fail without delaying the next start")
  func slow() {
    let limit = limit(1, .seconds(1))
    let log = Log<Int>()
    let results = world.run {
      (0..<3).map { number in
        limit.run(on: world.main) {
          log.append(number)
          if number == 1 { throw TestError(1) }
          return Promise.after(.seconds(60), fulfill: number)
        }
      }
    }
    world.advance(by: .seconds(2))
    #expect(log.entries == [0, 1, 2])
    #expect(results.map(\.isPending) == [true, false, true])
  }

  @Test("A rate limit accepts a period of a nanosecond or less")
  func shortest() {
    for period in [Duration.nanoseconds(1), Duration(secondsComponent: 0, attosecondsComponent: 1)] {
      let limit = limit(1, period)
      let results = (0..<10).map { _ in start(limit) }
      world.advance(by: .microseconds(1))
      #expect(results.allSatisfy { $0.isFulfilled })
    }
  }

  @Test("A guest that gives up at the head of the queue does not count, and delays no guest behind it")
  func headGivesUp() {
    let limit = limit(1, .seconds(10))
    let results = (0..<4).map { _ in start(limit) }
    world.advance(by: .seconds(5))
    results[1].cancel()
    results[2].cancel(upstream: true)
    #expect(world.armed == 1)
    world.advance(by: .seconds(5))
    #expect(starts.entries == [.zero, .seconds(10)] && results[3].isFulfilled && world.armed == 0)
  }

  @Test("A rate limit has one timer for all waiting guests, and none while no guest waits")
  func timer() {
    let limit = limit(1, .seconds(10))
    let first = start(limit)
    world.runUntilIdle()
    #expect(first.isFulfilled)
    #expect(world.armed == 0)
    for _ in 0..<3 {
      let waiting = (0..<3).map { _ in start(limit) }
      #expect(world.armed == 1)
      for promise in waiting { promise.cancel() }
      #expect(world.armed == 0)
    }
    let last = start(limit)
    #expect(world.armed == 1)
    world.advance(by: .seconds(10))
    #expect(last.isFulfilled)
    #expect(world.armed == 0)
  }

  @Test("A rate limit sets the next timer even if a timer fires before it is stored")
  func hastyTimer() {
    let limit = RateLimit(1, per: .seconds(10), timers: HastyTimers())
    let results = (0..<4).map { number in limit.run(on: context) { .fulfilled(number) } }
    context.runUntilIdle()
    #expect(results.map(\.state.value) == [0, 1, 2, 3])
  }

  @Test("A rate limit counts from the start of a closure, which may be long after its turn")
  func busyContext() {
    let limit = limit(2, .seconds(10))
    let results = (0..<6).map { _ in start(limit, on: context) }
    #expect(context.count == 2)
    world.advance(by: .seconds(9))
    context.step()
    world.advance(by: .seconds(4))
    #expect(context.count == 1)
    context.step()
    // A guest that gives up after its turn has come does not count, and makes room at once.
    world.advance(by: .seconds(10))
    #expect(context.count == 2)
    results[2].cancel()
    #expect(context.count == 3)
    context.runUntilIdle()
    world.advance(by: .seconds(9))
    context.runUntilIdle()
    #expect(starts.entries == [.seconds(9), .seconds(13), .seconds(23), .seconds(23)])
    world.advance(by: .seconds(1))
    context.runUntilIdle()
    #expect(starts.entries.last == .seconds(33))
    #expect(starts.entries.count == 5)
    #expect(world.armed == 0)
  }

  @Test("A rate limit counts an async closure when it is called, which may be long after its Task was created")
  func busyTasks() {
    let limit = limit(1, .seconds(10))
    // The clock of the limit moves while the Tasks of the other world wait.
    let tasks = TestWorld()
    let results = tasks.run {
      (0..<4).map { number in limit.asyncRun { starts.append(world.clock.elapsed, returning: number) } }
    }
    let idle = limit.whenIdle()
    world.advance(by: .seconds(100))
    #expect(limit.waitingCount == 4)
    #expect(idle.isPending)
    // A guest that gives up before its closure is called does not count, and makes room at once.
    results[0].cancel()
    #expect(limit.waitingCount == 3)
    for _ in 0..<3 {
      #expect(idle.isPending)
      tasks.runUntilIdle()
      world.advance(by: .seconds(10))
    }
    #expect(starts.entries == [100, 110, 120].map { .seconds($0) })
    #expect(results.map(\.state.value) == [nil, 1, 2, 3])
    #expect(idle.isFulfilled)
    #expect(world.armed == 0)
  }

  @Test("A guest that is cancelled or dropped between admission and start keeps no other guest waiting")
  func admitted() {
    let limit = limit(1, .seconds(10))
    start(limit, on: context).cancel()
    let dropped = start(limit, on: context)
    world.advance(by: .seconds(10))
    context.dropAll()
    let last = start(limit)
    world.advance(by: .seconds(10))
    #expect(starts.entries.count == 1)
    #expect(last.isFulfilled)
    #expect(dropped.isRejected)
    #expect(world.armed == 0)
  }

  @Test("A rate limit that no client holds admits its waiting guests, and is released when none waits", .rule("6.1"))
  func forgotten() throws {
    let log = Log<Int>()
    try TestWorld.run { world in
      let limit = RateLimit(2, per: .seconds(1))
      for number in 0..<5 { _ = limit.run(on: world.main) { log.append(number, returning: .fulfilled(number)) } }
      _ = world.track(limit)
      world.advance(by: .seconds(1))
      world.expect(log.entries == [0, 1, 2, 3])
      world.advance(by: .seconds(1))
    }
    #expect(log.entries == [0, 1, 2, 3, 4])
  }

  @Test("In any order, a rate limit never exceeds its rate, forgets no guest and leaves no timer")
  func everyOrder() throws {
    _ = try TestWorld.explore(schedules: 100, seed: 11) { world in
      let starts = Log<Duration>()
      let limit = RateLimit(2, per: .seconds(10))
      let contexts: [any ExecutionContext] = [world.pool, world.main, world.concurrent("c")]
      let results = (0..<6).map { number in
        limit.run(on: contexts[number % 3]) { () -> Promise<Int> in
          starts.append(world.clock.elapsed, returning: .fulfilled(number))
        }
      }
      world.clock.schedule(after: .seconds(10)) { world.sometime("2 gives up") { results[2].cancel() } }
      world.sometime("5 gives up") { results[5].cancel() }
      world.advance(by: .seconds(30))
      for (one, next) in zip(starts.entries, starts.entries.dropFirst(2)) {
        world.expect(next - one >= .seconds(10), "\(starts.entries)")
      }
      world.expect(results.allSatisfy { !$0.isPending } && [0, 1, 3, 4].allSatisfy { results[$0].state.value == $0 })
      world.expect(world.armed == 0)
    }
  }

  @Test("A timer that fires late leaves no other timer behind", .rule("4.9"), arguments: [false, true])
  func lateTimer(whileSetting: Bool) {
    let timers = ManualTimers()
    let limit = RateLimit(1, per: .seconds(10), timers: timers)
    let context = ManualContext()
    let results = (0..<2).map { number in limit.run(on: context) { .fulfilled(number) } }
    context.runUntilIdle()
    let first = timers.armed[0]
    first.begin()
    limit.isPaused = true
    if whileSetting { timers.interruptNext { first.run() } }
    limit.isPaused = false
    if !whileSetting { first.run() }
    #expect(timers.armed.count == 1)
    timers.advance(by: .seconds(10))
    for timer in timers.armed { timer.run() }
    context.runUntilIdle()
    #expect(results.allSatisfy { $0.isFulfilled })
    #expect(timers.armed.isEmpty)
  }
}
