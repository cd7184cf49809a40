// With APPLE_FAKES this file is compiled into Tests/AppleBranchTests.
#if canImport(ObjectiveC) || APPLE_FAKES
  /// Carries an object of Apple's into a `@Sendable` closure.
  ///
  /// Some SDKs declare such objects `Sendable`, and some do not. With this box the sources compile with both.
  ///
  /// `@unchecked Sendable`, because it is only used for an object of which the closure calls one method that may be called
  /// on any thread.
  struct UncheckedBox<Object>: @unchecked Sendable {
    let object: Object
    init(_ object: Object) { self.object = object }
  }
#endif
