import Synchronization

/// The observer that resumes a Task which waits for a promise.
///
/// The Task is resumed by the thread that wins the reaction. That is the settling thread by `start`, or the canceller
/// of the Task by `detach`. Neither of them runs code of the Task.
///
/// The reaction must not be detached before it is in its list, because the promise would lose a consumer that was not
/// counted yet. Therefore the Task sets *armed* in `marks` once the reaction is in the list, and the canceller sets
/// *cancelled*. The second of the two detaches the reaction.
///
/// The cancellation handler of a Task runs under a lock of the runtime. So it only wins the reaction, counts, and
/// resumes the Task. The Task itself then records the dead entry, or gives the promise up. If it is going to give the
/// promise up, it counts as a consumer until then.
///
/// `@unchecked Sendable`: `continuation` is written before the reaction is attached, and read by the thread that has
/// won it. Therefore the continuation is resumed once, which makes the class `@safe`.
@safe
final class Waiter: Reaction, @unchecked Sendable {
  private let marks = Atomic<UInt8>(0)
  private let givesUp: Bool
  private var continuation: UnsafeContinuation<Void, Never>?

  /// The reaction is in its list, and may be detached.
  private static let armed: UInt8 = 1 << 0
  /// The Task was cancelled.
  private static let cancelled: UInt8 = 1 << 1
  /// The canceller has detached the reaction, and resumes the Task.
  private static let detached: UInt8 = 1 << 2

  init(givingUp givesUp: Bool) {
    self.givesUp = givesUp
    super.init(from: nil, to: nil, on: nil, traits: [.value, .error], body: nil)
  }

  /// Makes the continuation wait for the promise. It is resumed once the promise is settled, or as soon as the Task is
  /// cancelled.
  func wait(for promise: AnyPromise, resuming continuation: UnsafeContinuation<Void, Never>) {
    unsafe self.continuation = continuation
    // Relaxed, because this is only a shortcut: a Task that was cancelled before need not enter the list.
    if marks.load(ordering: .relaxed) & Self.cancelled != 0 { return detachAndResume() }
    body = ReactionBody { _, _ in
      unsafe continuation.resume()
      return .nothing
    }
    promise.attach(waiter: self)
    // Releases the reaction to a canceller. Acquires its mark.
    let before = marks.bitwiseOr(Self.armed, ordering: .acquiringAndReleasing).oldValue
    if before & Self.cancelled != 0 { detachAndResume() }
  }

  /// Called once when the Task is cancelled, on any thread, at any time.
  func cancel() {
    let before = marks.bitwiseOr(Self.cancelled, ordering: .acquiringAndReleasing).oldValue
    if before & Self.armed != 0 { detachAndResume() }
  }

  /// Detaches the reaction and resumes the Task, unless the settling thread resumes it.
  private func detachAndResume() {
    // If the promise is settled, its thread resumes the Task, which gets the outcome (rule 4.7).
    if let source, source.resolved.acquiredState.isDone { return }
    guard detach() != nil else { return }
    body = nil
    // If that was the last consumer of an unobserved promise, the Task gives the promise up, because hooks must not run
    // under the lock of the runtime.
    if !givesUp { _ = source?.removeConsumer() }
    // Releasing: pairs with the acquiring load in `isDetachedByCanceller`. The continuation is not relied upon for
    // that. ThreadSanitizer does not see that it orders anything if it is resumed before the Task suspends.
    marks.bitwiseOr(Self.detached, ordering: .releasing)
    unsafe continuation?.resume()
  }

  /// Whether the Task was resumed because it was cancelled, and not because the promise is settled.
  var isDetachedByCanceller: Bool { marks.load(ordering: .acquiring) & Self.detached != 0 }

  /// Leaves the promise or gives it up. Called by the Task after it was resumed by its canceller.
  func leaveOrGiveUp(_ promise: AnyPromise, because error: CancellationError) {
    if givesUp {
      // A waiter that was never attached is not counted as a consumer.
      let departure =
        source.map { Departure(promise: $0) } ?? Departure(promise: promise, isCounted: false, deadEntries: 0)
      Cancellation(givingUp: ShortList(departure), reason: error).run()
    } else {
      source?.recordDeadEntries(1)
      source?.resolved.giveUpIfUnobserved()
    }
  }
}
