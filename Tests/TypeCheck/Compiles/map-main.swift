// Links on the main actor. The closures may access `@MainActor` state.
import PromiseContexts

@MainActor final class Screen { var total = 0 }

func chain(_ start: Promise<Int>, _ screen: Screen) -> Promise<Int> {
  start
    // repeat 5 20 40
    .map(on: .main) { screen.total + $0 + 1 }
  // end
}
