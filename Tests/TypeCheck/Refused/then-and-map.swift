// A `then` whose closure returns no promise, where the client needs `map` or `tap`, and a `map` whose closure returns a
// promise. `map` does not flatten: a promise of a promise has its own type. The messages are at the results of the
// closures.
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
  // expect: cannot convert value of type 'Int' to closure result type 'AnyPromise'
  promise.tapThen { $0 + 1 }
  // expect: cannot convert value of type '()' to closure result type 'AnyPromise'
  promise.tapThen { print($0) }
}

func thenValue(_ promise: Promise<Int>) -> Promise<Int> {
  // expect: cannot convert
  promise.then { $0 + 1 }
}

func mapPromise(_ promise: Promise<Int>) -> Promise<Int> {
  // expect: cannot convert
  promise.map { load($0) }
}

nonisolated func distance(to place: String) -> Promise<Int> { .fulfilled(place.count) }

func stops(_ place: Promise<String>) -> Promise<Int> {
  place
    .map { distance(to: $0) }
    .recover { _ in 0 }
    // expect: cannot convert value of type '()' to expected argument type 'Int'
    .map { $0 + 1 }
}

func stopsWithType(_ place: Promise<String>) -> Promise<Int> {
  place
    // expect: cannot convert value of type 'Promise<Int>' to closure result type 'Int'
    .map(to: Int.self) { distance(to: $0) }
    .recover { _ in 0 }
    .map { $0 + 1 }
}
