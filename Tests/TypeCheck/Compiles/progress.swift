// Weights, and observers of progress, in chains.
import Dispatch
import PromiseContexts

@MainActor final class Screen { var fraction = 0.0 }

nonisolated func next(_ value: Int) -> Promise<Int> { .fulfilled(value + 1) }

func chain(_ start: Promise<Int>, _ q: DispatchQueue, _ screen: Screen) -> Promise<Int> {
  start
    // repeat 5 20 40
    .map(weight: 2) { $0 + 1 }
    .onProgress(on: .main) { screen.fraction = $0 }
    .then(on: q, weight: 0.5) { next($0) }
    .onProgress { print($0) }
    .map(on: .main, weight: 3) { $0 + 1 }
  // end
}
