import PromiseCore
public import Testing

/// Names the rules of Docs/Semantics.md that a test pins, as in `@Test("…", .rule("4.3", "4.4"))`.
///
/// `Scripts/check-contract.py` reads the traits from the sources. It fails for a rule that no test carries, and for a
/// trait that names a rule which does not exist.
public struct RuleTrait: SuiteTrait, TestTrait {
  public let rules: [String]
  public func prepare(for test: Test) async throws { stopPrinting() }
}

extension Trait where Self == RuleTrait {
  /// Returns a trait for a test that fails if one of these rules is broken.
  public static func rule(_ rules: String...) -> Self { Self(rules: rules) }
}

/// Stops the printing of unhandled rejections and of work that goes on, because many tests leave some. The traits of this
/// module call it before the first test runs.
func stopPrinting() {
  Diagnostics.printsUnhandledRejections = false
  Diagnostics.printsUnstoppedWork = false
}
