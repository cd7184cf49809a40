// Conversions between numbers and literals of collections are what the compiler cannot infer in a long expression: six
// links of `.map { Double($0) / 2 }.map { Int($0) }` are too many, for any class with a generic `map`. With `to:` they cost
// nothing; and `-> Double` alone, in the closure, does not help.
import PromiseContexts

func chain(_ start: Promise<Int>) -> Promise<Int> {
  start
    // repeat 5 20 40
    .map(to: Double.self) { Double($0) / 2 }
    .map(to: Int.self) { Int($0) }
    .map(on: .main, to: [Int].self) { [$0, $0 + 1] }
    .map(on: .pool, to: Int.self) { $0[0] }
    .map(to: Int.self) { $0 + 1 }
  // end
}
