import PromiseCombinators
import TestSupport
import Testing

extension CombinedResult {
  /// `some` of three inputs.
  static let quorums: [CombinedResult] = [
    .init("some, in the order of arrival", [.fulfill(2), .reject(1), .fulfill(0)], "[2, 0]") { some(2, of: $0) },
    .init("some, the rest is left", [.fulfill(1), .fulfill(0)], "[1, 0]") { some(2, of: $0) },
    .init("some, the rest is cancelled", [.fulfill(1), .fulfill(0)], "[1, 0]", cancelsRest: true) {
      some(2, of: $0, cancelsLosers: true)
    },
    .init("some, all", [.fulfill(2), .fulfill(1), .fulfill(0)], "[2, 1, 0]") { some(3, of: $0) },
    .init("some, settled inputs", [.fulfill(1)], "[7, 8, 1]") {
      some(3, of: [$0[0], .fulfilled(7), $0[1], .fulfilled(8)])
    },
    .init("some, same input twice", [.fulfill(1)], "[1, 1]") { some(2, of: [$0[0], $0[1], $0[1]]) },

    .init("some, too few", [.reject(2), .fulfill(1), .reject(0)], "none of [0, 2] at Here:9") { some(2, of: $0) },
    .init("some, too few of the rest", [.reject(2)], "none of [2] at Here:9") { some(3, of: $0) },
    .init("some, too few, cancelling", [.reject(2)], "none of [2] at Here:9", cancelsRest: true) {
      some(3, of: $0, cancelsLosers: true)
    },
    .init("some, too few, same input twice", [.reject(1)], "none of [1, 1] at Here:9") {
      some(2, of: [$0[1], $0[0], $0[1]])
    },
    .init("some, cancelled", [.cancel(2), .fulfill(1), .cancel(0)], "cancelled, error 0") { some(2, of: $0) },
    .init("some, one cancelled", [.reject(2), .fulfill(1), .cancel(0)], "none of [0, 2] at Here:9") { some(2, of: $0) },

    .init("some, none needed", [], "[]") { some(0, of: $0) },
    .init("some, fewer than none needed", [], "[]") { some(-1, of: $0) },
    .init("some, none needed, cancelling", [], "[]", cancelsRest: true) { some(0, of: $0, cancelsLosers: true) },
    .init("some, too many needed", [], "none of [] at Here:9") { some(4, of: $0) },
    .init("some, too many needed, cancelling", [], "none of [] at Here:9", cancelsRest: true) {
      some(4, of: $0, cancelsLosers: true)
    },
    .init("some of none", [], "no input") { _ in some(1, of: []) },
    .init("some of none, none needed", [], "[]") { _ in some(0, of: []) },
  ]

  private static func some(_ count: Int, of inputs: [Promise<Int>], cancelsLosers: Bool = false) -> () -> String {
    result(Promise.some(inputs, count: count, cancelsLosers: cancelsLosers, fileID: "Here", line: 9))
  }
}

@Suite("some", .leavingNothing) struct SomeTests {
  private let world = TestWorld()

  @Test("The examples of some give the expected results")
  func examples() {
    let replicas = ["a", "b", "c"]
    let read = { (replica: String) in Promise.fulfilled("answer of \(replica)") }
    let answers = Promise.some(replicas.map(read), count: 2)
    #expect(answers.state.value == ["answer of a", "answer of b"])
    do {
      let answers = Promise.some(read("Basel"), read("Bern"), read("Bonn"), count: 2)
      #expect(answers.state.value == ["answer of Basel", "answer of Bern"])
    }
  }

  @Test("Errors of inputs that the result does not need are not reported, whenever they come", .rule("7.1"))
  func handled() {
    let reports = reported {
      for count in 0...4 {
        let owners = (0..<3).map { _ in Deferred<Int>() }
        let inputs = owners.map(\.promise)
        // Settled before the call, before the result, and after it.
        owners[0].reject(TestError(0))
        let result = Promise.some(inputs, count: count)
        owners[1].fulfill(1)
        owners[2].reject(TestError(2))
        #expect(!result.isPending)
        _ = result.error
      }
    }
    #expect(reports.isEmpty)
  }

  @Test("The rejection of a result that needs more than there is is reported at its own place", .rule("7.1"))
  func unhandled() throws {
    let report = #expect(throws: WorldReport.self) {
      try TestWorld.run { _ in _ = Promise.some([Promise.fulfilled(1)], count: 2, fileID: "Here", line: 5) }
    }
    #expect(report?.unhandledRejections.map(\.createdAt.line) == [5])
    #expect(report?.unhandledRejections.count == 1)
  }

  @Test("A sequence is read once, inside the call")
  func readOnce() {
    let asked = Log<Int>()
    let some = Promise.some(SingleUseSequence(3, asked).lazy.map { Promise.fulfilled($0) }, count: 2)
    #expect(asked.entries == [0, 1, 2, 3])
    #expect(some.state.value == [0, 1])
  }

  @Test("A pending result says how many inputs it needs")
  func description() {
    let owners = (0..<3).map { _ in Deferred<Int>() }
    let below = Promise.some(owners.map(\.promise), count: 2).asVoid()
    owners[0].fulfill(1)
    #expect(below.debugDescription.contains("1 of 3 inputs are settled, 2 are needed"))
    withExtendedLifetime(owners) {}
  }
}
