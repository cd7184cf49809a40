import Dispatch
import TestSupport
import Testing

@Suite("Work that belongs to a world", .bounded) struct WorldTests {
  let world = TestWorld()

  @Test("Links on .pool or no context, even in a scope of diagnostics, run when the world runs", .rule("7.1", "8.3"))
  func pool() {
    let deferred = Deferred<Int>()
    let promises = world.run {
      [
        deferred.promise.map { $0 + 1 }, deferred.promise.map(on: .pool) { $0 + 2 },
        Diagnostics.scoped(unhandledRejection: { _ in }) { deferred.promise.map { $0 + 3 } },
      ]
    }
    deferred.fulfill(1)
    #expect(promises.allSatisfy { $0.isPending })
    #expect(world.runUntilIdle() == 3)
    #expect(promises.map(\.state.value) == [2, 3, 4])
  }

  @Test("Handlers on the main actor run one after another, in whatever thread runs the world")
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

  /// Where a promise is made that is observed in a world.
  enum Maker: CaseIterable, Sendable { case noScope, otherScope, endedWorld, otherWorld }

  @Test(
    "What is attached in a world runs there, wherever its promise was made", .rule("8.3"), arguments: Maker.allCases)
  func attached(_ maker: Maker) {
    let other = TestWorld()
    let owner: Deferred<Int> =
      switch maker {
      case .noScope: Deferred()
      case .otherScope: Diagnostics.scoped(unhandledRejection: { _ in }, { Deferred() })
      case .endedWorld: TestWorld().run { Deferred() }
      case .otherWorld: other.run { Deferred() }
      }
    let seen = Log<Int>()
    let inner = Log<Promise<Int>>()
    world.run {
      owner.promise.onFulfilled(on: .main) { note($0, in: seen) }
      owner.onEnd(on: .main) { _ in note(2, in: seen) }
      owner.promise.onFulfilled { value in inner.append(Promise.run { value }) }
    }
    // Not the thread of the main actor.
    race([
      { [world] in
        owner.fulfill(1)
        world.runUntilIdle()
      }
    ])
    #expect(seen.entries.sorted() == [1, 2])
    #expect(inner.entries.map(\.state.value) == [1])
  }

  @Test("Links that a handler in a world attaches belong to the world, even if the handler runs on a real queue")
  func handlers() {
    let queue = DispatchQueue(label: "real")
    let (inner, real) = world.run {
      (
        Promise.fulfilled(1).then { one in Promise.fulfilled(one).map { $0 + 1 } },
        Promise.fulfilled(1).then(on: queue) { one in Promise.fulfilled(one).map { $0 + 1 } }
      )
    }
    queue.sync(flags: .barrier) {}
    #expect(inner.isPending)
    #expect(real.isPending)
    world.runUntilIdle()
    #expect(inner.state.value == 2)
    #expect(real.state.value == 2)
  }

  @Test("A world has its own timers, and changes nothing outside it or in another world")
  func outside() async throws {
    #expect(world.run { Diagnostics.defaultTimers } === world.clock)
    #expect(Diagnostics.defaultTimers === DispatchTimers.dispatch)
    let other = TestWorld()
    let inOther = other.run { Promise.fulfilled(1).map { $0 + 1 } }
    world.runUntilIdle()
    #expect(inOther.isPending)
    // This handler runs on the threads of the pool although worlds exist.
    let outside = try await Promise.fulfilled(1).map { $0 + 1 }.value
    #expect(outside == 2)
    other.runUntilIdle()
    #expect(inOther.isFulfilled)
  }

  @Test("Tasks made by code in a world belong to it, but detached Tasks do not")
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

  @Test("Promise.task, async links and handlers on actors and .task(priority:) run in steps of the world")
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

  @Test("Code in a timer or an event belongs to the world")
  func actions() {
    let inside = Log<Bool>()
    world.clock.schedule(after: .seconds(1)) { [world] in inside.append(Diagnostics.executionTestEnvironment === world)
    }
    world.sometime("visit") { [world] in inside.append(Diagnostics.executionTestEnvironment === world) }
    world.advance(by: .seconds(1))
    #expect(inside.entries == [true, true])
    #expect(Diagnostics.executionTestEnvironment == nil)
  }

  @Test("A serial context of the world has an identity, and the pool and concurrent contexts have none", .rule("2.2"))
  func identity() {
    #expect(world.pool.identity == nil)
    #expect(world.concurrent("readers").identity == nil)
    let serial = world.serial("writer")
    #expect(serial.identity == ObjectIdentifier(serial))
  }

  @Test("A deallocated world drops waiting handlers and refuses later handlers", .rule("6.2"))
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
  fileprivate var dropped: Bool {
    if case .failure(PromiseError.contextDropped) = result { true } else { false }
  }
}
