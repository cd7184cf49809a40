// A small program that uses the features that most programs use. `Scripts/portability.py` compiles it in several
// language modes, without warnings, runs it, and compares its output with the lines that begin with `// prints:`.
import PromiseCombinators
import PromiseGates

struct NoPrice: Error {}

@MainActor final class Screen { var text = "" }

@MainActor func run() async throws {
  let screen = Screen()

  // prints: costs 3
  let price = Deferred<Int>()
  let shown = price.promise.map { "costs \($0)" }.tap(on: .main) { screen.text = $0 }
  price.fulfill(3)
  _ = try await shown.value
  print(screen.text)

  // prints: no price: 0
  let missing = Promise<Int>.rejected(NoPrice())
  let replaced = missing.recover { _ in 0 }
  print("no price:", try await replaced.value)

  // prints: the work was stopped
  let picture = Deferred<String>()
  let stopped = Deferred<Void>()
  picture.onCancel { _ in stopped.fulfill(()) }
  picture.promise.map { $0.count }.cancel(upstream: true)
  try await stopped.promise.value
  print("the work was stopped")

  // prints: [1, 4, 9]
  let squares = Promise.traverse([1, 2, 3], concurrency: 2) { number in Promise.run { number * number } }
  print(try await squares.value)

  // prints: the owner was released
  let lost = Deferred<Int>().promise
  do {
    print(try await lost.value)
  } catch PromiseError.Code.broken {
    print("the owner was released")
  }

  // prints: the end
  let gate = SerialGate()
  let ends = (0..<100).map { index in gate.run { Promise.fulfilled(index) } }
  print(try await Promise.all(ends).map { $0.last == 99 ? "the end" : "out of order" }.value)
}

try await run()
