/// A promise was rejected, and went without anybody having looked at its error (rule 7.1).
public struct UnhandledRejection: Sendable, CustomStringConvertible {
  /// The error that nobody looked at.
  public let error: any Error

  /// Where the promise was made that was the last to have the error: by an owner, or by the link that nothing was attached to.
  public let createdAt: CreationSite

  /// The way that the error came, if ``Diagnostics/isTracing`` was on.
  public let trail: RejectionTrail?

  /// One line: where, the error and, if it is known, the way that it came.
  public var description: String {
    "\(createdAt): unhandled rejection: \(oneLine(error))" + (trail.map { "; \($0)" } ?? "")
  }

  /// One line for the programmer: the error, where the promise was made and what to do.
  package var hint: String {
    """
    unhandled rejection: \(oneLine(error)), of the promise made at \(createdAt). Handle it with `catch` or `recover`, \
    or turn this message off: `Diagnostics.printsUnhandledRejections = false`.
    """ + (trail.map { " It was \($0)." } ?? "")
  }
}
