// A closure of several statements, followed by a closure with `print` and another statement. It needs no `to:`.
import PromiseContexts

func chain(_ start: Promise<Int>) -> Promise<Int> {
  start
    // repeat 5 20 40
    .map { value in
      let sum = value + 1
      print(sum)
      return sum
    }
    .tap { value in
      print("now")
      print(value)
    }
  // end
}
