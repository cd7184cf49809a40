// The snippets of Docs/Guides/LanguageModes.md that compile in Swift 5 mode.
// modes: swift5
import Dispatch
import PromiseContexts

@MainActor final class Headline {
  var title = ""

  func show(_ text: Promise<String>) { text.tap(on: .main) { self.title = $0 } }
}

final class Counter { var hits = 0 }

func count(_ first: Promise<Int>, _ second: Promise<Int>, in counter: Counter) {
  first.tap { _ in counter.hits += 1 }
  second.tap { _ in counter.hits += 1 }
}

func countInOrder(_ first: Promise<Int>, _ second: Promise<Int>, in counter: Counter, on queue: DispatchQueue) {
  first.tap(on: queue) { _ in counter.hits += 1 }
  second.tap(on: queue) { _ in counter.hits += 1 }
}
