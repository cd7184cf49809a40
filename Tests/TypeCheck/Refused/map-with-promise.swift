// `map` does not flatten. A promise of a promise has its own type.
import PromiseContexts

nonisolated func next(_ value: Int) -> Promise<Int> { .fulfilled(value + 1) }

func chain(_ promise: Promise<Int>) -> Promise<Int> {
  // expect: cannot convert
  promise.map { next($0) }
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
