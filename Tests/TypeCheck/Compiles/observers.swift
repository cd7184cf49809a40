// Observers return the promise itself.
import Dispatch
import PromiseContexts

@MainActor final class Screen { var total = 0 }

func chain(_ start: Promise<Int>, _ q: DispatchQueue, _ screen: Screen) -> Promise<Int> {
  start
    // repeat 5 20 40
    .onFulfilled(on: .main) { screen.total = $0 }
    .onRejected(on: q) { print($0) }
    .onSettled { print($0) }
  // end
}
