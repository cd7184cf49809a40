// The snippets of Docs/Guides/LanguageModes.md for which the compiler reports an error or a warning in Swift 5 mode.
// modes: swift5
import PromiseContexts

@MainActor final class Screen {
  var title = ""

  // expect: main actor-isolated property 'title' can not be mutated from a Sendable closure
  func show(_ text: Promise<String>) { text.tap { self.title = $0 } }
}

func hits(_ promise: Promise<Int>) -> Int {
  var count = 0
  // expect: mutation of captured var 'count' in concurrently-executing code; this is an error in the Swift 6 language mode
  promise.tap { _ in count += 1 }
  return count
}
