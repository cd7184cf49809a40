// A `then` whose closure returns no promise. The client needs `map` or `tap`. The message is at the result of the
// closure.
import Dispatch
import PromiseContexts

nonisolated func load(_ number: Int) -> Promise<Int> { .fulfilled(number) }

func guess(_ promise: Promise<Int>) {
  // expect: cannot convert value of type 'Int' to closure result type 'Promise<U>'
  // expect: generic parameter 'U' could not be inferred
  _ = promise.then { $0 + 1 }
  // expect: generic parameter 'U' could not be inferred
  promise.then { print($0) }
  // expect: cannot convert value of type '()' to closure result type 'Promise<U>'
  // expect: generic parameter 'U' could not be inferred
  promise.then(on: .main) { print($0) }
  // expect: contextual type for closure argument list expects 1 argument, which cannot be implicitly ignored
  _ = promise.then { load(0) }
}
