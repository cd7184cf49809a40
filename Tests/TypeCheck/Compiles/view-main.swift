// A view on the main actor. The closures may access `@MainActor` state.
import PromiseContexts

@MainActor final class Screen { var total = 0 }

@MainActor func next(_ value: Int) -> Promise<Int> { .fulfilled(value + 1) }

func chain(_ start: Promise<Int>, _ screen: Screen) -> Promise<Int> {
  start
    .on(.main)
    // repeat 5 20 40
    .map { screen.total + $0 + 1 }
    .then { next($0) }
    .tap { screen.total = $0 }
    .recover { _ in screen.total }
    .onFulfilled { screen.total = $0 }
    // end
    .promise
}
