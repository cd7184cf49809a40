// A handler on the pool cannot access the state of the main actor.
// modes: plain main-actor swift5 swift5-complete
import PromiseContexts

@MainActor final class Screen { var total = 0 }

func show(_ promise: Promise<Int>, _ screen: Screen) {
  // expect: main actor-isolated property 'total' can not be mutated from a Sendable closure
  promise.tap(on: .pool) { screen.total = $0 }
}
