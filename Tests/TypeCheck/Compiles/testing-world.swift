// Tests as clients write them. They run synchronous and async code in a world, in all orders, on the main actor, and
// with closures of several statements.
import PromiseContexts
import PromiseTesting

@MainActor final class Screen { var total = 0 }

struct Wrong: Error {}

@MainActor func shown(_ screen: Screen) throws -> Int {
  try TestWorld.run { world in
    let deferred = Deferred<Int>()
    let total = deferred.promise
      .map { $0 + 1 }
      .tap(on: .main) { screen.total = $0 }
    world.sometime("it comes") { deferred.fulfill(1) }
    world.advance(by: .seconds(1))
    return try world.run(until: total, within: .seconds(1)) + screen.total
  }
}

nonisolated func awaited() throws -> Int {
  try TestWorld.run { world in
    let first = try await Promise.run { 1 }.value
    try await world.clock.sleep(for: .seconds(1))
    return try await Promise.task { first + 1 }.value
  }
}

nonisolated func explored() throws -> Bool {
  try TestWorld.explore(schedules: 10, seed: 1) { world in
    let sum = Promise.run { 1 }.map { $0 + 1 }
    world.runUntilIdle()
    guard sum.isFulfilled else { throw Wrong() }
  }
  try TestWorld.explore(schedules: 10, seed: 1) { world in
    let sum = Promise.run { 1 }.map { $0 + 1 }
    let value = try await sum.value
    world.expect(value == 2, "\(value)")
  }
  return try TestWorld.exploreAll { world in world.runUntilIdle() }.isComplete
}

nonisolated func waited(_ promise: Promise<Int>) throws -> Int {
  try waitForPromises(within: .seconds(1))
  _ = try promise.waitForError(within: .seconds(1))
  return try promise.waitForValue(within: .seconds(1)) + promise.waitForResult(within: .zero).get()
}

// This task runs in the world even in code of the main actor, and even if the main actor is the default.
@MainActor func taskInWorld() throws {
  try TestWorld.run { world in
    let value = try world.run(until: Promise.task { @concurrent in 1 })
    world.expect(value == 1)
  }
}
