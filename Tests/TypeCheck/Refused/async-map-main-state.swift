// The Task of a link cannot change the state of the main actor.
import PromiseContexts

@MainActor final class Screen { var total = 0 }

func show(_ promise: Promise<Int>, _ screen: Screen) {
  // expect: main actor-isolated property 'total' can not be mutated from a Sendable closure
  promise.asyncTap { screen.total = $0 }
}
