// The code for which Docs/Guides/LanguageModes.md shows a warning of complete checking.
// modes: swift5-complete
import PromiseContexts

final class Counter { var hits = 0 }

func count(_ first: Promise<Int>, in counter: Counter) {
  // expect: capture of 'counter' with non-Sendable type 'Counter' in a '@Sendable' closure; this is an error in the Swift 6 language mode
  first.tap { _ in counter.hits += 1 }
}
