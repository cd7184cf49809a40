/// What an operation does to the promise that it works on.
enum Effect: Sendable {
  /// Leaves it pending.
  case none
  /// Settles it, or not: who else holds the promise or its owner decides.
  case maySettle
  /// When it returns, somebody has settled it, or is about to.
  case settles
  /// Likewise, and may settle what the promise waits for.
  case givesUp
  /// Settles it and what it waits for, or not: their other consumers decide.
  case mayGiveUp
}
