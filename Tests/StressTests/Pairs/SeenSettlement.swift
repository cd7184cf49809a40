/// The state of the settlement that an operation has seen when it ends.
enum SeenSettlement: Sendable {
  /// This operation settled the promise.
  case settled
  /// The promise was still pending.
  case before
  /// Another operation or thread had already settled the promise.
  case after
  /// The operation cannot tell.
  case nothing
}
