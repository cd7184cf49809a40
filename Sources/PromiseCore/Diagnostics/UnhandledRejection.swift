/// A report that a rejected promise was deallocated and its rejection was not handled (rule 7.1).
public struct UnhandledRejection: Sendable, CustomStringConvertible {
  /// The error of the promise.
  public let error: any Error

  /// The place where the promise was made. This is the last promise that had the error, and was made by an owner or by
  /// a link.
  public let createdAt: CreationSite

  /// The path of the rejection, if ``Diagnostics/isTracing`` was on.
  public let trail: RejectionTrail?

  /// Describes in one line where the promise was made, the error, and its path if it is known.
  public var description: String {
    "\(createdAt): unhandled rejection: \(oneLine(error))" + (trail.map { "; \($0)" } ?? "")
  }

  /// A line for the programmer, with the error, the place where the promise was made, and advice.
  package var hint: String {
    """
    unhandled rejection: \(oneLine(error)), of the promise made at \(createdAt). Handle it with `catch` or `recover`, \
    or turn this message off: `Diagnostics.printsUnhandledRejections = false`.
    """ + (trail.map { " It was \($0)." } ?? "")
  }
}
