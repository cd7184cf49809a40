// The two-handler forms.
import PromiseContexts

@MainActor final class Screen { var total = 0 }

func chain(_ start: Promise<Int>, _ screen: Screen) -> Promise<Int> {
  start
    // repeat 5 20 40
    .map(fulfilled: { $0 + 1 }, rejected: { _ in 0 })
    .then(on: .main, fulfilled: { .fulfilled(screen.total + $0) }, rejected: { .rejected($0) })
  // end
}
