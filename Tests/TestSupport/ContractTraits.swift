import PromiseCore
public import Testing

/// Names the rules of Docs/Semantics.md that a test pins: `@Test("…", .rule("4.3", "4.4"))`.
///
/// `.ci/check-contract` reads the traits from the sources. It fails for a rule that no test carries, and for a trait that names
/// a rule which does not exist.
public struct RuleTrait: SuiteTrait, TestTrait {
  public let rules: [String]
  public func prepare(for test: Test) async throws { stopPrintingRejections() }
}

/// Names the rows of the feature list that a test pins: `@Test("…", .feature("E3"))`.
public struct FeatureTrait: SuiteTrait, TestTrait {
  public let rows: [String]
  public func prepare(for test: Test) async throws { stopPrintingRejections() }
}

extension Trait where Self == RuleTrait {
  /// The test fails if one of these rules is broken.
  public static func rule(_ rules: String...) -> Self { Self(rules: rules) }
}

extension Trait where Self == FeatureTrait {
  /// The test fails if one of these features is missing.
  public static func feature(_ rows: String...) -> Self { Self(rows: rows) }
}

/// Many tests leave rejections unhandled, which debug builds would print. All traits of this module call this before the first test runs.
func stopPrintingRejections() { Diagnostics.printsUnhandledRejections = false }
