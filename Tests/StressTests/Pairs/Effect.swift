/// The effect of an operation on its promise.
enum Effect: Sendable {
  /// Leaves the promise pending.
  case none
  /// May settle the promise. That depends on the other holders of the promise or of its owner.
  case maySettle
  /// When the operation returns, a thread has settled the promise or is about to settle it.
  case settles
  /// Settles the promise like `settles`, and may settle the promises that it waits for.
  case givesUp
  /// May settle the promise and the promises that it waits for. That depends on their other consumers.
  case mayGiveUp
}
