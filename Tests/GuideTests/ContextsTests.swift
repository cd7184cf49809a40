import Dispatch
import PromiseCombinators
import PromiseWaiting
import TestSupport
import Testing

// Contains the snippets of Docs/Guides/Contexts.md that `ContextsDocumentTests` does not contain, word for word.
// `Scripts/check-snippets.py` compares them.

private func countWords(in file: String) -> Promise<Int> {
  Promise.run { file.split(separator: " ").count }
}

private struct Guide {
  func count(in files: [String]) throws -> Int {
    let counts = Promise.traverse(files, concurrency: 4) { file in countWords(in: file) }
    return try counts.waitForValue(within: .seconds(60)).reduce(0, +)
  }
}

@Suite("The guide to contexts") struct ContextsTests {
  @Test("The timer of an owner ends with its promise", .rule("4.5", "4.9"), arguments: [true, false])
  func timer(_ comesInTime: Bool) throws {
    try TestWorld.run { world in
      let timers = world.clock
      let upload = Deferred<Int>()
      let log = Log<String>()
      let timer = timers.schedule(after: .seconds(30)) { log.append("still uploading") }
      upload.onEnd { _ in timer.cancel() }
      if comesInTime { upload.fulfill(1) }
      world.advance(by: .seconds(30))
      #expect(log.entries == (comesInTime ? [] : ["still uploading"]))
      #expect(!timer.cancel())
      if !comesInTime { upload.fulfill(2) }
    }
  }

  @Test("A thread that is not async waits for the result")
  func waits() async {
    let count = await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: try? Guide().count(in: ["a b", "c"])) }
    }
    #expect(count == 3)
  }
}
