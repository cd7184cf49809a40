import PromiseCore
import TestSupport
import Testing

@Suite("The library's own errors")
struct PromiseErrorTests {
  private static let site = CreationSite(fileID: "Here/There.swift", line: 7)

  @Test(
    "row I3: each says in one line what went wrong, and where",
    arguments: [
      (PromiseError.broken(createdAt: site), "Deferred is gone"),
      (.contextDropped(createdAt: site), "unrun"),
      (.cycle(createdAt: site), "waits for itself"),
      (.validationFailed(createdAt: site), "refused"),
      (.noValue(createdAt: site), "no value"),
      (.emptyCallback(createdAt: site), "neither a value nor an error"),
      (.emptyInput(createdAt: site), "no promise"),
      (.noneFulfilled([TestError(1), TestError(2)], createdAt: site), "too few"),
      (.timedOut(createdAt: site), "in time"),
    ])
  func description(_ error: PromiseError, _ reason: String) {
    let text = error.description
    #expect(text.contains(reason) && text.contains("Here/There.swift:7") && !text.contains("\n"), "\(text)")
  }

  @Test("row I3: errors of others are told in the same line, whatever they say themselves")
  func others() {
    let error = PromiseError.noneFulfilled(["one\ntwo", TestError(3)], createdAt: Self.site)
    #expect(!error.description.contains("\n") && error.description.contains("one") && error.description.contains("3"))
  }

  @Test("The description of noneFulfilled describes the first eight errors only")
  func manyErrors() {
    struct Counting: Error, CustomStringConvertible {
      let described: Locked<Int>
      var description: String { "number \(described.increment())" }
    }
    let described = Locked(0)
    let errors = (0..<10_000).map { _ in Counting(described: described) }
    let error = PromiseError.noneFulfilled(errors, createdAt: Self.site)
    #expect(error.description.hasSuffix("number 7; number 8; … 9992 more"))
    #expect(described.withLock { $0 } == 8)
  }
}
