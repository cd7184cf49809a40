/// What becomes of the other inputs of a combinator when one of them is rejected.
///
/// Inputs are lent: a combinator leaves them alone, unless it is told otherwise (rule 4.8).
public enum FailurePolicy: Sendable {
  /// The result is rejected at once, the others go on.
  case leaveRunning
  /// The result is rejected at once, and the others are given up: each is cancelled unless somebody else still wants it (rule 4.6).
  case cancelRemaining
  /// The result is rejected when all are settled, with the error that came first.
  case waitForAll
}
