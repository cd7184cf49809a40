// The compiler checks the isolation of observers as it checks that of links.
// modes: plain main-actor swift5 swift5-complete
import PromiseContexts

@MainActor final class Screen { var total = 0 }

func show(_ promise: Promise<Int>, _ screen: Screen) {
  // expect: main actor-isolated property 'total' can not be mutated from a Sendable closure
  promise.onFulfilled { screen.total = $0 }
}
