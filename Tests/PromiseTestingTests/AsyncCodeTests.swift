import PromiseCombinators
import PromiseGates
import TestSupport
import Testing

@Suite("Async code in a world", .bounded) struct AsyncCodeTests {
  let world = TestWorld()

  private enum Local {
    @TaskLocal static var number = 0
  }

  @Test("Async code waits for promises while the world and its time go on")
  func awaits() throws {
    let sum = try world.run { [world] in
      let owner = Deferred<Int>()
      world.clock.schedule(after: .seconds(5)) { owner.fulfill(1) }
      let doubled = owner.promise.map(on: .main) { $0 * 2 }
      return try await owner.promise.value + doubled.value
    }
    #expect(sum == 3)
    #expect(world.time == .seconds(5))
  }

  @Test("Async code runs in the world, with the task-local values of its caller")
  func surroundings() throws {
    try Local.$number.withValue(7) {
      let seen = Locked(0)
      let (number, isInside) = try world.run { () async throws in
        // Links without a context belong to the world, before and after a wait.
        let before = Promise.fulfilled(1).map { $0 + 1 }
        let pending = before.isPending
        _ = try await before.value
        let after = Promise.fulfilled(1).map { $0 + 1 }
        seen.withLock { $0 = Local.number }
        return (Local.number, pending && after.isPending)
      }
      #expect(number == 7)
      #expect(isInside)
      #expect(seen.withLock { $0 } == 7)
    }
  }

  @Test(
    "A handler sees the task-local values of the code that runs the world, unless it runs in a Task", .rule("8.3"))
  func handlers() throws {
    actor Account {}
    let gate = SerialGate()
    let (synchronous, inTasks, task) = world.run {
      let source = Promise.fulfilled(1)
      return Local.$number.withValue(1) {
        (
          [
            source.map { _ in Local.number }, source.map(on: .main) { _ in Local.number },
            gate.run { Promise.fulfilled(Local.number) },
          ],
          [
            source.asyncMap { _ in Local.number }, source.map(on: .task()) { _ in Local.number },
            source.map(isolatedTo: Account()) { _, _ in Local.number },
          ], Promise.task { Local.number }
        )
      }
    }
    try Local.$number.withValue(7) {
      try #expect(world.run(until: Promise.all(synchronous)) == [7, 7, 7])
      try #expect(world.run(until: Promise.all(inTasks)) == [0, 0, 0])
      try #expect(world.run(until: task) == 1)
    }
  }

  @Test("Child tasks, task groups and Tasks on the world's executor run as parts of the async code")
  func children() throws {
    let sum = try world.run { [world] in
      let owners = (1...3).map { _ in Deferred<Int>() }
      for (number, owner) in owners.enumerated() {
        world.clock.schedule(after: .seconds(3 - number)) { owner.fulfill(number + 1) }
      }
      async let first = owners[0].promise.value
      let second = Task(executorPreference: world.taskExecutor) { try await owners[1].promise.value }
      let third = try await withThrowingTaskGroup(of: Int.self) { group in
        group.addTask { try await owners[2].promise.value }
        return try await group.next() ?? 0
      }
      return try await first + second.value + third
    }
    #expect(sum == 6)
    #expect(world.time == .seconds(3))
  }

  @Test("Stuck async code throws an error that names the pending promises, and its Task is cancelled")
  func stuck() throws {
    let owner = Deferred<Int>()
    let thrown = Log<String>()
    let awaited = world.run { owner.promise.map { $0 + 1 } }
    let line = #line - 1
    let error = #expect(throws: WaitError.self) {
      try world.run {
        do { _ = try await awaited.value } catch {
          thrown.append("\(type(of: error))")
          throw error
        }
      }
    }
    // The code awaits this promise, whose source was made outside.
    let pending = try #require(error?.pendingOfCode)
    #expect(pending.contains { $0.contains("AsyncCodeTests.swift:\(line)") }, "\(pending)")
    // The cancelled Task may need steps to end.
    world.runUntilIdle()
    #expect(thrown.entries == ["CancellationError"])
    #expect(owner.promise.isPending)
  }

  @Test("Endless async code is abandoned at the step limit")
  func endless() {
    let world = TestWorld(stepLimit: 50)
    let isOver = Locked(false)
    let error = #expect(throws: WaitError.self) {
      try world.run { while !Task.isCancelled && !isOver.withLock({ $0 }) { await Task.yield() } }
    }
    #expect(error?.description.contains("50 steps") == true)
    isOver.withLock { $0 = true }
    world.runUntilIdle()
  }

  @Test("TestWorld.run runs an async test in its own world, then runs ready work, and then checks the world")
  func wholeTest() throws {
    let log = Log<Int>()
    let result = try TestWorld.run { world in
      try await world.clock.sleep(for: .seconds(1))
      _ = Promise.run(on: world.main) { log.append(1) }
      return world.time
    }
    #expect(result == .seconds(1))
    #expect(log.entries == [1])
    #expect(throws: WorldReport.self) {
      try TestWorld.run { world in
        await Task.yield()
        world.clock.schedule(after: .seconds(1)) {}
      }
    }
    #expect(throws: TestError(1)) {
      try TestWorld.run { world in
        await Task.yield()
        world.clock.schedule(after: .seconds(1)) {}
        throw TestError(1)
      }
    }
  }

  @Test("The error of stuck async code names only a few promises, all of them pending")
  func stuckAmongMany() throws {
    let settled = world.run { (0..<5).map { Promise.fulfilled("\($0)") } }
    let owners = world.run { (0..<5).map { Deferred<Int>(fileID: "W/Stuck", line: UInt($0)) } }
    let error = #expect(throws: WaitError.self) { try world.run { _ = try await owners[4].promise.value } }
    let pending = try #require(error?.pendingOfCode)
    // Some code waits for one of the owners.
    #expect(pending.prefix(5).allSatisfy { $0.hasPrefix("cause: the owner of Promise<Int> made at ") }, "\(pending)")
    #expect(pending.count == 8)
    #expect(pending.suffix(3).allSatisfy { $0.hasPrefix("Promise<Int>, pending") }, "\(pending)")
    withExtendedLifetime(settled) {}
  }
}
