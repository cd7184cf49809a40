#if canImport(ObjectiveC)
  import ObjectiveC

  /// Calls the closure with an autorelease pool of Objective-C. So the objects that a handler autoreleases are released
  /// when it returns, and not when the thread has nothing left to do.
  package func withAutoreleasePool(_ body: () -> Void) { autoreleasepool(invoking: body) }
#else
  @inline(__always)
  package func withAutoreleasePool(_ body: () -> Void) { body() }
#endif
