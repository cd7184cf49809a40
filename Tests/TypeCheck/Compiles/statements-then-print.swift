// A closure of several statements, followed by a single `print($0)`. With `to:`, the first closure has a known result.
// `Refused/print-after-statements.swift` shows the error without it.
import PromiseContexts

func chain(_ start: Promise<Int>) -> Promise<Int> {
  start
    // repeat 5 20 40
    .map(to: Int.self) { value in
      let sum = value + 1
      print(sum)
      return sum
    }
    .tap { print($0) }
  // end
}
