/// One call that cancels, for the requests that it leaves with other threads, and those that these leave in turn: of each promise it is
/// requested once. Who carries it out takes all that was below the promise when the call began; asked again, where one is below
/// another, or below itself, they would leave each other requests for ever.
final class CancelCall: Sendable {
  // `nonisolated(unsafe)`: touched under the lock only. Kept, for an identifier is one as long as its object lives.
  nonisolated(unsafe) private var requested: [ObjectIdentifier: AnyPromise] = [:]
  private let lock = ShortLock()

  /// `false`: it has been requested of this promise before.
  func isFirstRequest(of promise: AnyPromise) -> Bool {
    lock.locked { unsafe requested.updateValue(promise, forKey: ObjectIdentifier(promise)) == nil }
  }
}
