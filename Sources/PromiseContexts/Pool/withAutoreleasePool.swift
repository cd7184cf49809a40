#if canImport(ObjectiveC)
  import ObjectiveC

  /// What a handler leaves to Objective-C's autorelease pool goes with it, and not when the thread at last has nothing to do.
  package func withAutoreleasePool(_ body: () -> Void) { autoreleasepool(invoking: body) }
#else
  @inline(__always)
  package func withAutoreleasePool(_ body: () -> Void) { body() }
#endif
