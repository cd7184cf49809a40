// Array literals in long chains. A link with `to:` divides the chain for the type checker. Without
// `to:` the compiler gives up at 20 links.
import PromiseCombinators

nonisolated func load(_ number: Int) -> Promise<Int> { .fulfilled(number) }

nonisolated func literals(_ start: Promise<Int>) -> Promise<Int> {
  start
    // repeat 5 20 40
    .then { number in Promise.traverse([number], concurrency: 2) { load($0 + number) } }
    .map(to: Int.self) { $0.count }
    .then { number in Promise.traverse([number, 1], concurrency: 2, on: .main) { load($0 + number) } }
    .map(to: Int.self) { $0.count }
    // end
    .map { _ in 1 }
}

// Docs/Guides/Chaining.md shows this chain.
nonisolated func two(_ start: Promise<Int>) -> Promise<Int> {
  start
    .then { number in Promise.traverse([number, 1], concurrency: 2) { load($0 + number) } }
    .map(to: Int.self) { $0.count }
}
