extension Deferred: CustomDebugStringConvertible {
  /// Describes the owner and its promise, with the promises that wait for it, as ``AnyPromise/debugDescription`` does.
  public var debugDescription: String { "Deferred of \(source.debugDescription)" }
}
