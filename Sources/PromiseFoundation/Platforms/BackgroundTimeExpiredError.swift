#if canImport(UIKit) && !os(watchOS) || APPLE_FAKES
  /// The reason of a cancellation because the app's time in the background is over.
  public struct BackgroundTimeExpiredError: Error, Sendable, CustomStringConvertible {
    /// One line that says what happened.
    public var description: String { "the app's time in the background is over" }
  }
#endif
