import Dispatch
import PromiseContexts
import TestSupport
import Testing

@Suite("Running a world until a promise is settled")
struct RunUntilTests {
  let world = TestWorld()

  private var now: Duration { world.time }

  /// Makes a promise that the clock of the world settles.
  private func number(_ number: Int, after delay: Duration) -> Promise<Int> {
    let owner = Deferred<Int>()
    world.clock.schedule(after: delay) { owner.fulfill(number) }
    return owner.promise
  }

  // MARK: A promise

  @Test("run(until:) returns the value and advances the time no further than needed")
  func value() throws {
    let promise = world.run { number(7, after: .seconds(3)).map { $0 + 1 } }
    world.clock.schedule(after: .seconds(3) + .nanoseconds(1)) {}
    #expect(try world.run(until: promise) == 8)
    #expect(now == .seconds(3))
  }

  @Test("run(until:) runs no step for a settled promise")
  func settled() throws {
    world.job(on: world.pool) { Issue.record("nothing has to run for that") }
    #expect(try world.run(until: .fulfilled(1)) == 1)
    #expect(throws: TestError(1)) { try world.run(until: Promise<Int>.rejected(TestError(1))) }
  }

  @Test("run(until:) stops as soon as the promise is settled and leaves the rest for later")
  func stops() throws {
    let log = Log<Int>()
    world.job(on: world.main) { log.append(1) }
    let promise = world.run { Promise.run(on: .main) { 2 } }
    world.job(on: world.main) { log.append(3) }
    #expect(try world.run(until: promise) == 2 && log.entries == [1])
    world.runUntilIdle()
    #expect(log.entries == [1, 3])
  }

  @Test("run(until:) throws the error of a rejected or cancelled promise, which counts as handled")
  func error() throws {
    try TestWorld.run { world in
      let rejected = Promise.fulfilled(1).map { _ -> Int in throw TestError(3) }
      #expect(throws: TestError(3)) { try world.run(until: rejected) }
      let cancelled = Deferred<Int>()
      world.sometime("cancel") { cancelled.promise.cancel() }
      #expect(throws: CancellationError.self) { try world.run(until: cancelled.promise) }
    }
  }

  @Test("run(until:within:) includes a timer exactly at the limit")
  func limit() throws {
    let promise = number(1, after: .seconds(3))
    #expect(try world.run(until: promise, within: .seconds(3)) == 1)
  }

  @Test("timedOut names the promise and the limit, and the promise stays pending")
  func timedOut() {
    let promise = number(1, after: .seconds(3))
    let error = waitError { try world.run(until: promise, within: .seconds(3) - .nanoseconds(1)) }
    guard case .timedOut(let limit, let name, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(limit == .seconds(3) - .nanoseconds(1))
    #expect(name.contains("Promise<Int>") && name.contains("RunUntilTests.swift:"))
    #expect(promise.isPending)
    world.advance(by: .seconds(3))
    #expect(promise.valueNow == 1)
  }

  @Test("A wait that times out advances the time to its limit, and a second wait continues from there")
  func timeIsUp() {
    let promise = number(1, after: .seconds(3))
    waitError { try world.run(until: promise, within: .seconds(2)) }
    #expect(now == .seconds(2))
    #expect((try? world.run(until: promise, within: .seconds(2))) == 1)
  }

  @Test("Without a limit the time advances as far as there are timers")
  func noLimit() throws {
    #expect(try world.run(until: number(1, after: .seconds(86_400 * 1_000))) == 1)
    world.clock.schedule(after: .seconds(86_400)) {}
    let owner = Deferred<Int>()
    #expect(waitError { try world.run(until: owner.promise) }?.caseName == "WaitError.stuck")
  }

  @Test("stuck names the promise and its owner, which has to settle it", arguments: [false, true])
  func stuck(hasLimit: Bool) {
    let owner = Deferred<Int>()
    let error = waitError {
      if hasLimit {
        try world.run(until: owner.promise, within: .seconds(5))
      } else {
        try world.run(until: owner.promise)
      }
    }
    guard case .stuck(let name, let handlers)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(name.contains("Promise<Int>") && name.contains("RunUntilTests.swift:\(#line - 12)"))
    #expect(handlers.count == 1 && handlers.first?.hasPrefix("its owner, made at ") == true)
    #expect(owner.promise.isPending && now == .zero, "nothing could happen, so there is no need to wait")
  }

  @Test("stuck names the root that the promise waits for through links, with its place")
  func stuckBehindLinks() {
    let owner = Deferred<Int>(label: "answer")
    let line = #line - 1
    let first = world.run { owner.promise.map { $0 + 1 } }
    let last = world.run { first.map(on: world.serial("s")) { $0 + 1 } }
    let error = waitError { try world.run(until: last) }
    guard case .stuck(let name, let roots)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(name.contains("RunUntilTests.swift:\(line + 3)"))
    #expect(roots.count == 1 && roots.first?.contains("RunUntilTests.swift:\(line)") == true, "\(roots)")
    #expect(error?.description.contains("RunUntilTests.swift:\(line)") == true)
    owner.promise.cancel()
  }

  @Test("run(until:) returns the value of an outside promise that work in the world settles")
  func outside() throws {
    let owner = Deferred<Int>()
    world.job(on: world.main) { owner.fulfill(1) }
    #expect(try world.run(until: owner.promise) == 1)
  }

  @Test("An endless world is abandoned at the step limit")
  func endless() {
    let world = TestWorld(stepLimit: 100)
    let endless = world.scheduleEndlessWork()
    defer { endless.value = nil }
    let owner = Deferred<Int>()
    guard case .tooManySteps(100)? = waitError({ try world.run(until: owner.promise) }) else {
      Issue.record("expected: too many steps")
      return
    }
  }

  // MARK: Rule 7.2

  #if DEBUG
    @Test(
      "A handler that waits for its own serial context is refused, and the error names context and promise",
      .rule("7.2"))
    func refused() {
      let serial = world.serial("writer")
      let seen = Box<WaitError>()
      world.job(on: serial) { [world] in
        let own = world.run { Promise.run(on: serial) { 1 } }
        seen.value = waitError { try world.run(until: own) }
        withExtendedLifetime(own) {}
      }
      world.runUntilIdle()
      let text = seen.value?.description ?? "nothing thrown"
      #expect(text.contains("writer") && text.contains("RunUntilTests.swift:"), "\(text)")
    }
  #endif

  @Test("A handler may wait for handlers on other contexts and for timers")
  func nested() {
    let seen = Log<Int?>()
    world.job(on: world.serial("s")) { [self] in
      let promise = world.run { number(1, after: .seconds(1)).map(on: .main) { $0 + 1 } }
      seen.append(try? world.run(until: promise))
    }
    world.runUntilIdle()
    #expect(seen.entries == [2] && now == .seconds(1))
  }

  @Test(
    "A thread that waits for the world while a step of the world waits for that thread gets worldBusy", .rule("7.2"))
  func busy() {
    let world = TestWorld(stepLockTimeout: .zero)
    let owner = Deferred<Int>()
    let seen = Box<WaitError>()
    world.sometime("waits for another thread") {
      race([
        {
          seen.value = waitError { try world.run(until: owner.promise) }
          world.runUntilIdle()
        }
      ])
    }
    world.runUntilIdle()
    guard case .worldBusy? = seen.value else {
      Issue.record("expected: worldBusy, not \(String(describing: seen.value))")
      return
    }
    #expect(throws: WorldReport.self) { try world.verify([]) }
  }
}
