import Dispatch
import PromiseCombinators
import PromiseWaiting
import Testing

// Contains the snippet of Docs/Guides/Contexts.md about a main that waits, word for word. `Scripts/check-snippets.py`
// compares them.

private func countWords(in file: String) -> Promise<Int> {
  Promise.run { file.split(separator: " ").count }
}

private struct Guide {
  func count(in files: [String]) throws -> Int {
    let counts = Promise.traverse(files, concurrency: 4) { file in countWords(in: file) }
    return try counts.waitForResult(within: .seconds(60)).reduce(0, +)
  }
}

@Suite("The guide to contexts: a main that waits")
struct WaitingMainTests {
  @Test("A thread that is not async waits for the result")
  func waits() async {
    let count = await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: try? Guide().count(in: ["a b", "c"])) }
    }
    #expect(count == 3)
  }
}
