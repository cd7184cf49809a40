/// The identity of one call of `cancel`, which leaves at most one request with each promise (rule 4.3).
///
/// A thread that carries out a request of the call may leave further requests, which belong to the same call. Without
/// the limit, two threads whose promises are below each other would leave each other requests without end. One request
/// is enough: the thread that carries it out cancels everything that was below the promise when the call began.
final class CancelCall: Sendable {
  // `nonisolated(unsafe)`, because it is accessed under the lock only. The promises are retained, because an identifier
  // is unique only while its object lives.
  nonisolated(unsafe) private var requested: [ObjectIdentifier: AnyPromise] = [:]
  private let lock = ShortLock()

  /// Records a request. Returns `false` if the call has left one with this promise before.
  func isFirstRequest(of promise: AnyPromise) -> Bool {
    lock.locked { unsafe requested.updateValue(promise, forKey: ObjectIdentifier(promise)) == nil }
  }
}
