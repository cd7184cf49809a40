import Dispatch
import PromiseContexts
import PromiseTesting
import TestSupport
import Testing

@Suite("What belongs to a world", .bounded)
struct WorldTests {
  let world = TestWorld()

  @Test("rows D13 N4: links without a context, and on the pool by name, run when the world does")
  func pool() {
    let deferred = Deferred<Int>()
    let (bare, named) = world.run {
      (deferred.promise.map { $0 + 1 }, deferred.promise.map(on: .pool) { $0 + 2 })
    }
    deferred.fulfill(1)
    #expect(bare.isPending && named.isPending)
    let count = world.runUntilIdle()
    #expect(count == 2 && bare.present == 2 && named.present == 3)
  }

  @Test("rows D13 N1 N4: handlers on the main actor run where the world has it, in whatever thread, one after another")
  func main() {
    let seen = Log<Int>()
    world.run {
      _ = Promise.fulfilled(1).tap(on: .main) { note($0, in: seen) }
      _ = Promise.fulfilled(2).on(.main).tap { note($0, in: seen) }
      _ = Promise.run(on: .main) { note(3, in: seen) }
    }
    race([{ [world] in world.runUntilIdle() }])
    #expect(seen.entries == [1, 2, 3])
  }

  @Test("rows D13 L13: timers that nobody names are the world's, and the system's outside")
  func timers() {
    #expect(world.run { Diagnostics.defaultTimers } === world.clock)
    #expect(Diagnostics.defaultTimers === DispatchTimers.dispatch)
  }

  @Test("row N4: what a handler in a world attaches belongs to it too, also a handler on a real queue")
  func handlers() {
    let queue = DispatchQueue(label: "real")
    let (inner, real) = world.run {
      (
        Promise.fulfilled(1).then { one in Promise.fulfilled(one).map { $0 + 1 } },
        Promise.fulfilled(1).then(on: queue) { one in Promise.fulfilled(one).map { $0 + 1 } }
      )
    }
    queue.sync(flags: .barrier) {}
    #expect(inner.isPending && real.isPending)
    world.runUntilIdle()
    #expect(inner.present == 2 && real.present == 2)
  }

  @Test("row N4: outside of it, and in another, nothing is changed")
  func outside() async throws {
    let other = TestWorld()
    let inOther = other.run { Promise.fulfilled(1).map { $0 + 1 } }
    world.runUntilIdle()
    #expect(inOther.isPending)
    // Runs on the pool's threads, though worlds live.
    let outside = try await Promise.fulfilled(1).map { $0 + 1 }.value
    #expect(outside == 2)
    other.runUntilIdle()
    #expect(inOther.isFulfilled)
  }

  @Test("row N4: Tasks that code in the world makes are in it, detached ones are not")
  func tasks() async {
    let (inherited, detached) = world.run {
      (
        Task { Diagnostics.executionTestEnvironment != nil },
        Task.detached { Diagnostics.executionTestEnvironment != nil }
      )
    }
    let answers = (await inherited.value, await detached.value)
    #expect(answers == (true, false))
    #expect(Diagnostics.executionTestEnvironment == nil)
  }

  @Test("rows N4 L15: Promise.task, async links, handlers on actors and on .task run in steps of the world")
  func asyncWork() {
    actor Counter {
      var count = 0
      func add() -> Int {
        count += 1
        return count
      }
    }
    let counter = Counter()
    let promises = world.run {
      [
        Promise.task { await counter.add() },
        Promise.fulfilled(1).asyncMap { await counter.add() + $0 },
        Promise.fulfilled(1).map(isolatedTo: counter) { counter, _ in counter.add() },
        Promise.fulfilled(1).map(on: .task(priority: .low)) { $0 },
      ]
    }
    #expect(promises.allSatisfy { $0.isPending })
    world.runUntilIdle()
    #expect(promises.allSatisfy { $0.isFulfilled })
  }

  @Test("A handler on .task() runs in a step of the world", .feature("N4"))
  func taskContext() {
    let promise = world.run { Promise.fulfilled(1).map(on: .task()) { $0 } }
    #expect(world.runUntilIdle() == 1)
    #expect(promise.isFulfilled)
  }

  @Test("row N4: what a timer makes, and what comes sometime, belongs to the world as what a handler makes does")
  func actions() {
    let inside = Log<Bool>()
    world.clock.schedule(after: .seconds(1)) { [world] in inside.append(Diagnostics.executionTestEnvironment === world)
    }
    world.sometime("visit") { [world] in inside.append(Diagnostics.executionTestEnvironment === world) }
    world.advance(by: .seconds(1))
    #expect(inside.entries == [true, true] && Diagnostics.executionTestEnvironment == nil)
  }

  @Test("rules 7.1 8.3: a scope of diagnostics inside a world is in that world")
  func innerScope() {
    let promise = world.run { Diagnostics.scoped(unhandledRejection: { _ in }) { Promise.run { 1 } } }
    #expect(promise.isPending)
    world.runUntilIdle()
    #expect(promise.isFulfilled)
  }

  @Test("rule 2.2: handlers of one settlement on an actor go there together, in a step of the world")
  func batchOnActor() {
    actor Counter {}
    let counter = Counter()
    let owner = world.run { Deferred<Int>() }
    let handlers = world.run {
      (0..<3).map { number in owner.promise.map(isolatedTo: counter) { _, value in value + number } }
    }
    owner.fulfill(1)
    #expect(handlers.allSatisfy { $0.isPending })
    world.runUntilIdle()
    #expect(handlers.map(\.present) == [1, 2, 3])
  }

  @Test("rule 8.3: what async handlers in a world make belongs to it too")
  func asyncHandlers() {
    let promise = world.run {
      Promise.fulfilled(1).asyncMap { one in try await Promise.fulfilled(one).map { $0 + 1 }.value }
    }
    world.runUntilIdle()
    #expect(promise.present == 2)
  }

  @Test("rule 2.2: handlers of one settlement on a serial context of the world come together, in order")
  func identity() {
    #expect(world.pool.identity == nil && world.concurrent("readers").identity == nil)
    let serial = world.serial("writer")
    #expect(serial.identity == ObjectIdentifier(serial))
  }

  @Test("rule 6.2: a world that goes drops what has not run, and refuses what comes later")
  func end() {
    var world: TestWorld? = TestWorld()
    let serial = world?.serial("kept")
    let early = world?.run { Promise.fulfilled(1).map { $0 } }
    world = nil
    #expect(early?.dropped == true)
    let late = serial.map { Promise.fulfilled(1).map(on: $0) { $0 } }
    #expect(late?.dropped == true)
  }
}

@MainActor private func note(_ number: Int, in log: Log<Int>) { log.append(number) }

extension Promise {
  fileprivate var present: Value? { try? result?.get() }

  fileprivate var dropped: Bool {
    if case .failure(PromiseError.contextDropped) = result { true } else { false }
  }
}
