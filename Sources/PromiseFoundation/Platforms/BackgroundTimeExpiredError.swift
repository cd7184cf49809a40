#if canImport(UIKit) && !os(watchOS) || APPLE_FAKES
  /// The system gave no more time in the background: the reason with which the work was cancelled.
  public struct BackgroundTimeExpiredError: Error, Sendable {}
#endif
