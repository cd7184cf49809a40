/// An owner settled a promise that was settled already, or followed another with it. The promise stayed as it was, and the call
/// answered `false` (rule 1.3).
public struct SecondSettlement: Sendable, CustomStringConvertible {
  /// The error that was refused. `nil`: it was a value, or a promise to follow that had no error by then.
  public let error: (any Error)?

  /// Where the promise was made.
  public let createdAt: CreationSite

  /// The promise had been cancelled by a call of `cancel`. Then the owner did nothing wrong: it had only not heard
  /// of it (``Deferred/onCancel(_:)``).
  public let wasCancelled: Bool

  /// One line: where, what was refused, and whether the promise had been cancelled.
  public var description: String {
    let refused = error.map { "the error \(oneLine($0))" } ?? "a value"
    return "\(createdAt): settled a second time: \(refused) was refused" + (wasCancelled ? " after a cancellation" : "")
  }
}
