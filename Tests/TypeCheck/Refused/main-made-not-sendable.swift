// A promise that is not created on the main actor cannot access state of the main actor in its closure.
import PromiseContexts

@MainActor final class Screen { var total = 0 }

nonisolated func make(_ screen: Screen) -> [Promise<Int>] {
  // expect: main actor-isolated property 'total' can not be referenced from a Sendable closure
  let bare = Promise.run { screen.total }
  // expect: main actor-isolated property 'total' can not be referenced from a Sendable closure
  let pool = Promise<Int>(on: .pool) { $0.fulfill(screen.total) }
  return [bare, pool]
}
