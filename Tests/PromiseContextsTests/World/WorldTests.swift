import PromiseContexts
import TestSupport
import Testing

@Suite("A world in place of threads")
struct WorldTests {
  let world = TinyWorld()

  @Test("rows D13 N4: links without a context, and on the pool by name, run in the world where they were attached")
  func pool() {
    let deferred = Deferred<Int>()
    let (bare, named) = world.run {
      (deferred.promise.map { $0 + 1 }, deferred.promise.map(on: .pool) { $0 + 2 })
    }
    deferred.fulfill(1)
    #expect(bare.isPending && named.isPending && world.parallel.count == 2)
    world.runUntilIdle()
    #expect(bare.result?.value == 2 && named.result?.value == 3)
  }

  @Test("rows D13 N1 N4: handlers on the main actor run where the world has it, in whatever thread")
  func main() async {
    let seen = Locked<[Int]>([])
    let promises = world.run {
      [
        Promise.fulfilled(1).map(on: .main) { touchMain($0) },
        Promise.fulfilled(2).on(.main).map { touchMain($0) }.promise,
        Promise.run(on: .main) { touchMain(3) },
      ]
    }
    for promise in promises { promise.onFulfilled(on: world.serial) { number in seen.withLock { $0.append(number) } } }
    #expect(world.serial.count == 3)
    race([{ [world] in world.runUntilIdle() }])
    #expect(seen.withLock { $0 } == [1, 2, 3])
  }

  @Test("rows D13 L13: timers that nobody names are the world's")
  func timers() {
    #expect(world.run { Worlds.timers } === world.timers)
    #expect(Worlds.timers === DispatchTimers.dispatch)
  }

  @Test("row N4: what a handler in a world attaches belongs to it too")
  func handlers() {
    let promise = world.run { Promise.fulfilled(1).then { one in Promise.fulfilled(one).map { $0 + 1 } } }
    world.runUntilIdle()
    #expect(promise.result?.value == 2)
  }

  @Test("row N4: outside of it, and in another, nothing is changed")
  func outside() async throws {
    let other = TinyWorld()
    let inOther = other.run { Promise.fulfilled(1).map { $0 + 1 } }
    world.runUntilIdle()
    #expect(inOther.isPending && world.parallel.count == 0)
    // Runs on the pool's threads, though worlds live.
    let outside = try await Promise.fulfilled(1).map { $0 + 1 }.value
    #expect(outside == 2)
    other.runUntilIdle()
    #expect(inOther.isFulfilled)
  }

  @Test("row N4: the Tasks of a body are in its world, detached ones are not")
  func tasks() async {
    let (inherited, detached) = await Worlds.bind(world) {
      let inherited = await Task { Worlds.current != nil }.value
      let detached = await Task.detached { Worlds.current != nil }.value
      return (inherited, detached)
    }
    #expect(inherited && !detached)
    #expect(Worlds.current == nil)
  }

  @Test("row N4: handlers of one settlement travel as the world's context wants")
  func identity() {
    #expect(world.pool.identity == nil)
    let grouping = ManualContext(isGrouping: true)
    #expect(PoolContext(runningOn: grouping).identity == ObjectIdentifier(grouping))
  }
}

@MainActor private func touchMain(_ number: Int) -> Int { number }

extension Result {
  fileprivate var value: Success? { try? get() }
}
