// A closure of several statements, directly followed by a single `print($0)`, which takes `Any`. It needs `to:` or
// `dump`. See the cases of `Compiles/links.swift`.
import PromiseContexts

func chain(_ start: Promise<Int>) {
  start
    // expect: type 'Any' does not conform to the 'Sendable' protocol
    .map { value in
      let sum = value + 1
      print(sum)
      return sum
    }
    // expect: type 'Any' does not conform to the 'Sendable' protocol
    .tap { print($0) }
}
