import Dispatch
import PromiseGates
import TestSupport
import Testing

@Suite("Running a world until a promise is settled") struct RunUntilTests {
  let world = TestWorld()

  private var now: Duration { world.time }

  // MARK: A promise

  @Test("run(until:) returns the value and advances the time no further than needed")
  func value() throws {
    let promise = world.run { world.number(7, after: .seconds(3)).map { $0 + 1 } }
    world.clock.schedule(after: .seconds(3) + .nanoseconds(1)) {}
    #expect(try world.run(until: promise) == 8 && now == .seconds(3))
    world.job(on: world.pool) { Issue.record("nothing has to run for a settled promise") }
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

  @Test("timedOut names the promise and the limit, and a second wait goes on from there and includes its own limit")
  func timedOut() throws {
    let promise = world.number(1, after: .seconds(3))
    let error = waitError { try world.run(until: promise, within: .seconds(3) - .nanoseconds(1)) }
    let (limit, name, _) = try #require(error?.timeoutDetails)
    #expect(limit == .seconds(3) - .nanoseconds(1))
    #expect(now == limit)
    #expect(name.contains("Promise<Int>"))
    #expect(name.contains("RunUntilTests.swift:"))
    #expect(promise.isPending)
    #expect(try world.run(until: promise, within: .nanoseconds(1)) == 1)
  }

  @Test("stuck names the promise and its owner, which has to settle it", arguments: [false, true])
  func stuck(hasLimit: Bool) throws {
    let owner = Deferred<Int>()
    let error = waitError { try world.run(until: owner.promise, within: hasLimit ? .seconds(5) : nil) }
    let (name, lines) = try #require(error?.stuckDetails)
    #expect(name.contains("Promise<Int>"))
    #expect(name.contains("RunUntilTests.swift:\(#line - 4)"))
    #expect(lines.count == 1)
    #expect(lines.first?.hasPrefix("waits for its owner, made at ") == true)
    #expect(owner.promise.isPending, "nothing could happen, so there is no need to wait")
    #expect(now == .zero, "nothing could happen, so there is no need to wait")
  }

  @Test("stuck begins with the cause for which the promise waits through links, with its place")
  func stuckBehindLinks() throws {
    let owner = Deferred<Int>(label: "answer")
    let line = #line - 1
    let first = world.run { owner.promise.map { $0 + 1 } }
    let last = world.run { first.map(on: world.serial("s")) { $0 + 1 } }
    let error = waitError { try world.run(until: last) }
    let (name, lines) = try #require(error?.stuckDetails)
    #expect(name.contains("RunUntilTests.swift:\(line + 3)"))
    let place = "PromiseTestingTests/RunUntilTests.swift:\(line)"
    #expect(
      lines.first?.hasPrefix(#"cause: the owner of Promise<Int> "answer" made at \#(place), "#) == true, "\(lines)")
    #expect(lines.last?.hasPrefix("    waits for its owner") == true, "\(lines)")
    #expect(error?.description.contains("RunUntilTests.swift:\(line)") == true)
    owner.promise.cancel()
  }

  @Test(
    "stuck names the gate that an operation enters again, with its label, and where the tree returns to its beginning")
  func stuckInOwnGate() throws {
    let gate = SerialGate(label: "database", fileID: "M/Gate", line: 9)
    let outer = world.run {
      gate.run(fileID: "M/F", line: 1) { gate.run(fileID: "M/F", line: 2) { Promise.fulfilled(1) } }
    }
    let error = waitError { try world.run(until: outer) }
    #expect(
      error?.description == """
        nothing is left that could happen in the world, and this is still pending: Promise<Int>, pending, 1 consumer, run \
        of a gate at M/F:1
          cause: the SerialGate "database" made at M/Gate:9, with 1 operation inside, run at M/F:1, and 1 waiting, and an operation inside waits \
        for a place in the same gate; 3 promises wait for it
          waits for Promise<Int>, run of a gate at M/F:2
            waits for Promise<()>, M/F:2
              waits for a place in the SerialGate "database" made at M/Gate:9, the next in its queue, with 1 operation inside
                waits for the operation inside, run at M/F:1, which is Promise<Int>, run of a gate at M/F:1, where this tree \
        begins
        """, "\(error?.description ?? "")")
    outer.cancel()
    world.runUntilIdle()
  }

  // MARK: Rule 7.2

  #if DEBUG
    @Test("A handler that waits for its own serial context is refused with context and promise", .rule("7.2"))
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
      if case .wouldBlock? = seen.value {} else { Issue.record("not refused") }
      #expect(text.contains("writer"), "\(text)")
      #expect(text.contains("RunUntilTests.swift:"), "\(text)")
    }
  #endif

  @Test("A handler may wait for handlers on other contexts and for timers")
  func nested() {
    let seen = Log<Int?>()
    world.job(on: world.serial("s")) { [self] in
      let promise = world.run { world.number(1, after: .seconds(1)).map(on: .main) { $0 + 1 } }
      seen.append(try? world.run(until: promise))
    }
    world.runUntilIdle()
    #expect(seen.entries == [2])
    #expect(now == .seconds(1))
  }

  @Test("A thread that waits for the world while a step waits for that thread gets worldBusy", .rule("7.2"))
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
    #expect(seen.value?.description == WaitError.worldBusy.description)
    #expect(throws: WorldReport.self) { try world.verify([]) }
  }
}
