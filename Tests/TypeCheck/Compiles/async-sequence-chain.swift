// Chains whose operators read sequences of both kinds. For 40 links of such a chain the compiler needs minutes.
import PromiseCombinators

nonisolated func load(_ number: Int) -> Promise<Int> { .fulfilled(number) }
nonisolated func list(_ count: Int) -> [Int] { [count] }
nonisolated func numbers(_ count: Int) -> AsyncStream<Int> { AsyncStream { $0.finish() } }
nonisolated func fetch(_ number: Int) async throws -> Int { number }

actor Account {
  var balance = 0
}

nonisolated func chain(_ start: Promise<Int>, _ account: Account) -> Promise<Int> {
  start
    // repeat 5 20
    .then { number in Promise.traverse(numbers(number), concurrency: 2) { load($0) } }
    .map { $0.count }
    .then { number in Promise.asyncTraverse(list(number), concurrency: 2) { try await fetch($0) } }
    .map { $0.count }
    .then { number in
      Promise.traverse(numbers(number), concurrency: 2, isolatedTo: account) { _, number in
        load(number)
      }
    }
    .map { $0.count }
    .then { Promise.asyncTraverse(numbers($0), concurrency: 2) { try await fetch($0) } }
    .map { $0.count }
    .then { Promise.traverse(numbers($0), concurrency: 2, on: .main) { load($0) } }
    .map { $0.count }
    .then { number in Promise.forEach(numbers(number)) { load($0) } }
    .map { 1 }
    // end
    .map { _ in 1 }
}
