// `dump` follows a closure of several statements, where `print` does not compile. See
// `Refused/print-after-statements.swift`.
import PromiseContexts

func chain(_ start: Promise<Int>) -> Promise<Int> {
  start
    // repeat 5 20 40
    .map { value in
      let sum = value + 1
      print(sum)
      return sum
    }
    .dump("sum")
  // end
}
