import Synchronization

/// A Task that waits for a promise: the observer reaction that resumes it.
///
/// Who resumes it is who wins the reaction: `start` is the settlement, in whose thread the Task is resumed (which runs none of its
/// code); `detach` is the cancellation. The reaction can be detached only once it is in its list, or its promise would lose a
/// consumer before it has gained it. So the Task says in `meeting` that it is *armed*, and its cancellation that it is
/// *cancelled*: of the two, the second to come detaches.
///
/// The handler of a Task's cancellation runs under a lock of the runtime. All that it does here is to win the reaction, count, and resume. The
/// Task itself buries what is left behind, or gives the promise up, and is counted until then.
///
/// `@unchecked Sendable`: `continuation` is written before the reaction is attached, and read by who has won it.
/// `@safe`: so it is resumed once.
@safe
final class Waiter: Reaction, @unchecked Sendable {
  private let meeting = Atomic<UInt8>(0)
  private let givesUp: Bool
  private var continuation: UnsafeContinuation<Void, Never>?

  private static let armed: UInt8 = 1 << 0
  private static let cancelled: UInt8 = 1 << 1
  private static let calledOff: UInt8 = 1 << 2

  init(givingUp givesUp: Bool) {
    self.givesUp = givesUp
    super.init(from: nil, to: nil, on: nil, traits: [.value, .error], body: nil)
  }

  /// Makes the continuation wait for the promise. Resumes it once the promise is settled, or as soon as the Task is cancelled.
  func wait(for promise: AnyPromise, resuming continuation: UnsafeContinuation<Void, Never>) {
    unsafe self.continuation = continuation
    // Relaxed: a Task that was cancelled before need not enter the list.
    if meeting.load(ordering: .relaxed) & Self.cancelled != 0 { return callOff() }
    body = ReactionBody { _, _ in
      unsafe continuation.resume()
      return .nothing
    }
    promise.attach(waiter: self)
    // Acquiring and releasing: the reaction, for a canceller.
    let before = meeting.bitwiseOr(Self.armed, ordering: .acquiringAndReleasing).oldValue
    if before & Self.cancelled != 0 { callOff() }
  }

  /// The Task was cancelled. From any thread, at any time, once.
  func cancel() {
    let before = meeting.bitwiseOr(Self.cancelled, ordering: .acquiringAndReleasing).oldValue
    if before & Self.armed != 0 { callOff() }
  }

  /// Resumes the Task, unless the settlement was faster and does.
  private func callOff() {
    guard detach() else { return }
    body = nil
    if !givesUp { source?.removeConsumer() }
    // Releasing: read by the Task. Not handed over by the continuation: ThreadSanitizer does not see that it orders anything
    // where it is resumed before the Task suspends.
    meeting.bitwiseOr(Self.calledOff, ordering: .releasing)
    unsafe continuation?.resume()
  }

  /// The Task was resumed because it was cancelled, and not because the promise is settled.
  var isCalledOff: Bool { meeting.load(ordering: .acquiring) & Self.calledOff != 0 }

  /// The waiter was called off, and its Task is resumed: leaves the promise, or gives it up.
  func leave(_ promise: AnyPromise, because error: CancellationError) {
    if givesUp {
      // One that has not come so far as to wait never was a consumer.
      let departure =
        source.map { Departure(promise: $0) } ?? Departure(promise: promise, isCounted: false, deadEntries: 0)
      Cancellation(givingUp: CollectionOfOne(departure), reason: error).run()
    } else {
      source?.recordDeadEntries(1)
    }
  }
}
