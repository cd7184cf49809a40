/// A report that an owner settled a promise that was settled already, or made it follow another promise. The promise
/// stayed as it was, and the call returned `false` (rule 1.3).
public struct SecondSettlement: Sendable, CustomStringConvertible {
  /// The error that was refused. `nil` if the owner passed a value, or a promise to follow that was not rejected at
  /// that moment.
  public let error: (any Error)?

  /// The place where the promise was made.
  public let createdAt: CreationSite

  /// Whether the promise had been cancelled, or rejected by a time limit of its owner. In that case the owner made no
  /// mistake, because it may not have known of it yet (``Deferred/onCancel(_:)``).
  public let wasCancelled: Bool

  /// Whether the promise had been rejected by a time limit of its owner. Implies `wasCancelled`.
  let wasTimedOut: Bool

  /// Describes in one line where the promise was made, what was refused, and whether the promise had been cancelled or
  /// had timed out.
  public var description: String {
    let refused = error.map { "the error \(oneLine($0))" } ?? "a value"
    let cause =
      wasTimedOut ? " after the promise had timed out" : wasCancelled ? " after the promise had been cancelled" : ""
    return "\(createdAt): settled a second time: \(refused) was refused\(cause)"
  }
}
