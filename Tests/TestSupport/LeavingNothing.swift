public import Testing

/// A trait that fails a test if a ``Tracked`` object that the test made is still alive after it.
public struct LeavingNothing: SuiteTrait, TestTrait, TestScoping {
  public var isRecursive: Bool { true }

  public func prepare(for test: Test) async throws { stopPrinting() }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    let census = Tracked.Census()
    try await Tracked.Census.$ofTest.withValue(census, operation: body)
    #expect(await eventually { census.living == 0 }, "tracked objects of the test are alive after it")
  }
}

extension Trait where Self == LeavingNothing {
  /// Requires that no ``Tracked`` object outlives a test of this suite.
  public static var leavingNothing: Self { Self() }
}
