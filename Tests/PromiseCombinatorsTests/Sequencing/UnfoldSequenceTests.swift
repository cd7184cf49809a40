import PromiseCombinators
import TestSupport
import Testing

/// What happens to sequences that `ReadsUnfoldSequence` makes the compiler refuse. Here the refused call stands in a
/// generic function, where the compiler does not see the type of the sequence.
@Suite("UnfoldSequence", .leavingNothing) struct UnfoldSequenceTests {
  @Test("The pool crashes if it reads a sequence whose closure belongs to the main actor")
  func crash() async {
    await #expect(processExitsWith: .failure) { try await Numbers.read(Numbers.unfolded()) }
  }

  @Test("The pool reads an array of what such a sequence returns")
  func array() async {
    await #expect(processExitsWith: .success) { try await Numbers.read(Numbers.array()) }
  }
}

private enum Numbers {
  @MainActor
  static func unfolded() -> UnfoldSequence<Int, (Int?, Bool)> { sequence(first: 1) { $0 < 3 ? $0 + 1 : nil } }

  @MainActor
  static func array() -> [Int] { Array(unfolded()) }

  static func read(_ numbers: sending some Sequence<Int> & SendableMetatype) async throws {
    try await Promise.forEach(numbers) { Promise.fulfilled($0) }.value
  }
}
