/// Decides what happens to the other inputs of a combinator when one of them is rejected.
///
/// A combinator does not own its inputs. It cancels none of them unless the policy says so (rule 4.8).
public enum RejectionPolicy: Sendable {
  /// Rejects the result at once. The other inputs continue.
  case leaveRunning
  /// Rejects the result at once, and gives up the other inputs. Each of them is cancelled unless another consumer still
  /// wants it (rule 4.6).
  case cancelRemaining
  /// Rejects the result when all inputs are settled, with the error that came first.
  case waitForAll
}
