// A closure can access the state of an actor only with `isolatedTo:`, and that of the main actor only if it is on the main
// actor, even if it makes a promise. An async closure of a link runs in its own Task, which cannot change the state of
// the main actor, and whose captures must be `Sendable`.
import PromiseContexts

@MainActor final class Screen { var total = 0 }
actor Account { var balance = 0 }
nonisolated final class Cache { var hits = 0 }

func balance(_ promise: Promise<Int>, _ account: Account) -> Promise<Int> {
  // expect: actor-isolated property 'balance' can not be referenced from a Sendable closure
  promise.map { account.balance + $0 }
}

nonisolated func make(_ screen: Screen) -> [Promise<Int>] {
  // expect: main actor-isolated property 'total' can not be referenced from a Sendable closure
  let bare = Promise.run { screen.total }
  // expect: main actor-isolated property 'total' can not be referenced from a Sendable closure
  let pool = Promise<Int>(on: .pool) { $0.fulfill(screen.total) }
  return [bare, pool]
}

func show(_ promise: Promise<Int>, _ screen: Screen) {
  // expect: main actor-isolated property 'total' can not be mutated from a Sendable closure
  promise.asyncTap { screen.total = $0 }
}

nonisolated func count(_ promise: Promise<Int>, _ cache: Cache) {
  // expect: capture of 'cache' with non-Sendable type 'Cache' in a '@Sendable' closure
  promise.asyncTap { _ in cache.hits += 1 }
}
