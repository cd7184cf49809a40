// The compiler cannot infer conversions between numbers, or literals of collections, in a long expression. For any
// class with a generic `map`, six links of `.map { Double($0) / 2 }.map { Int($0) }` are too many. With `to:` they
// compile fast. A closure that declares only `-> Double` does not help.
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
