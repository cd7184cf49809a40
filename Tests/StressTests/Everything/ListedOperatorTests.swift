import Foundation
import TestSupport
import Testing

extension Stress {
  @Suite("Operators of the random programs")
  struct ListedOperatorTests {
    private static let types: Set<Substring> = [
      "Promise", "AnyPromise", "Deferred", "CancelBag", "LazyPromise", "ConcurrencyLimit", "SerialGate",
      "ReadersWriterGate", "RateLimit", "GatePlace", "SingleFlight", "ValueCache",
    ]

    /// The functions that the programs do not call, each with the reason.
    private static let exceptions = [
      "init": "its calls do not have its name",
      "resolve": "settles as `fulfill` or `reject`", "settle": "settles as `fulfill` or `reject`",
      "deferred": "is `Deferred()`",
      "asyncOnCancel": "is `onCancelThen` with a detached Task", "asyncOnEnd": "is `onEndThen` with a detached Task",
      "asVoid": "is a `map` without a handler", "cachedValue": "answers at once", "removeAll": "removes each value",
    ]

    @Test("The programs over all modules call each function on promises, or an exception has a reason")
    func complete() throws {
      let folder = URL(filePath: #filePath).deletingLastPathComponent()
      let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        .filter { $0.lastPathComponent != URL(filePath: #filePath).lastPathComponent }
      let text = try files.map { try String(contentsOf: $0, encoding: .utf8) }.joined()
      var called: Set<String> = []
      for match in text.matches(of: /\.(\w+)/) { called.insert(String(match.1)) }
      var listed: Set<String> = []
      for module in ["PromiseCore", "PromiseCombinators", "PromiseGates"] {
        for function in try Listing(module).functions {
          let parts = function.split(separator: ".", maxSplits: 1)
          if Self.types.contains(parts[0]) { listed.insert(String(parts[1].prefix { $0 != "(" })) }
        }
      }
      #expect(listed.count > 80)
      #expect(listed.subtracting(called).sorted() == Self.exceptions.keys.sorted())
    }
  }
}
