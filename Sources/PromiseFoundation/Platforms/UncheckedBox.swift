#if canImport(ObjectiveC)
  /// Takes an object along into a closure that may run on any thread.
  ///
  /// `@unchecked Sendable`: only for an object of Apple's of which one method is called there, which may be called from any thread.
  /// Some SDKs call such objects `Sendable`, and some do not; this compiles with both.
  struct UncheckedBox<Object>: @unchecked Sendable {
    let object: Object
    init(_ object: Object) { self.object = object }
  }
#endif
