import Foundation
public import Testing

extension Trait where Self == ConditionTrait {
  /// Marks a test that takes about half a second or more in a debug build. `make test` skips the test. `make test-slow`
  /// and CI run it.
  public static var slow: Self { .disabled(if: isQuickRun, "slow: make test-slow runs it") }
}

/// `make test` asks for the quick tests only.
private let isQuickRun = unsafe getenv("PROMISE_TESTS").map { unsafe String(cString: $0) } == "quick"
