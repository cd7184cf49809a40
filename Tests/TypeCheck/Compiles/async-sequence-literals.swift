// Array literals as arguments of operators that also read asynchronous sequences. The type checker knows least about
// these literals.
import PromiseCombinators

nonisolated func load(_ number: Int) -> Promise<Int> { .fulfilled(number) }

nonisolated func literals(_ start: Promise<Int>) -> Promise<Int> {
  start
    .then { number in Promise.traverse([number], concurrency: 2) { load($0 + number) } }
    .map { $0.count }
    .then { number in Promise.traverse([number], concurrency: 2) { load($0 + number) } }
    .map { $0.count }
    .then { number in Promise.traverse([number], concurrency: 2) { load($0 + number) } }
    .map { $0.count }
}
