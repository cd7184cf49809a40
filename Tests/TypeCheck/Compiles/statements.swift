// Closures of several statements that contain `print`.
import PromiseContexts

@MainActor final class Screen { var total = 0 }

nonisolated func next(_ value: Int) -> Promise<Int> { .fulfilled(value + 1) }

func chain(_ start: Promise<Int>, _ screen: Screen) -> Promise<Int> {
  start
    // repeat 5 20 40
    .map { value in
      let sum = value + 1
      print(sum)
      return sum
    }
    .then { value in
      print(value)
      return next(value)
    }
    .tap(on: .main) { value in
      print(value)
      screen.total = value
    }
    .map(on: .main) { value in
      if value > 1 { print(value) }
      return value + screen.total
    }
    .recover { error in
      print(error)
      return 0
    }
  // end
}
