// A realistic chain, with all kinds of links and contexts, and with literals in them.
import Dispatch
import PromiseContexts

@MainActor final class Screen { var total = 0 }
actor Account { var balance = 0 }

nonisolated func next(_ value: Int) -> Promise<Int> { .fulfilled(value + 1) }

func chain(_ start: Promise<Int>, _ q: DispatchQueue, _ screen: Screen, _ account: Account) -> Promise<Int> {
  start
    // repeat 5 20 40
    .map { $0 + 1 }
    .then(on: q) { next($0) }
    .tap(on: .main) { screen.total = $0 }
    .map(isolatedTo: account) { $0.balance + $1 }
    .recover(on: .queue(q)) { _ in 0 }
    .validate { $0 > 0 }
    .compactMap(on: .main) { $0 > 1 ? $0 : nil }
    .catch(on: .main) { print(screen.total, $0) }
    .then(on: .global()) { .fulfilled($0 * 2) }
    .always(on: .pool) { print($0) }
  // end
}
