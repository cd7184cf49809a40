import Synchronization

/// A Task that waits for a promise: the observer link that resumes it.
///
/// Who resumes it is who wins the link: `start` is the settlement, in whose thread the Task is resumed (which runs none of its
/// code); `detach` is the cancellation. The link can be detached only once it is in its list, or its promise would lose a
/// consumer before it has gained it. So a cancellation that comes before that leaves a mark, and the Task itself acts on it;
/// `word` of this class is where the two meet:
///
///                  armed (attached)                cancelled
///     the Task:    0 ──────────▶ may be detached   ──────────▶ the canceller detaches
///     canceller:   0 ──────────▶ cancelled         ──────────▶ armed: the Task detaches
///
/// The handler of a Task's cancellation runs under a lock of the runtime. All that it does here is to win the link, count,
/// and resume; what it leaves behind, the Task buries itself.
///
/// `@unchecked Sendable`: `continuation` is written before the link is attached, and read by who has won it.
/// `@safe`: so it is resumed once.
@safe
final class Waiter: Link, @unchecked Sendable {
  private let meeting = Atomic<UInt8>(0)
  private var continuation: UnsafeContinuation<Bool, Never>?

  private static let armed: UInt8 = 1 << 0
  private static let cancelled: UInt8 = 1 << 1

  init() {
    super.init(from: nil, to: nil, on: nil, traits: [.value, .error]) { _, _ in .nothing }
  }

  /// Makes the continuation wait for the promise. Resumes it with `true` once the promise is settled, or with `false` as soon
  /// as the Task is cancelled.
  func wait(for promise: AnyPromise, resuming continuation: UnsafeContinuation<Bool, Never>) {
    // Relaxed: a Task that was cancelled long ago need not enter the list.
    if meeting.load(ordering: .relaxed) & Self.cancelled != 0 { return unsafe continuation.resume(returning: false) }
    unsafe self.continuation = continuation
    body = { _, _ in
      unsafe continuation.resume(returning: true)
      return .nothing
    }
    promise.attach(waiter: self)
    // Acquiring and releasing: the link, for a canceller.
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
    source?.consumerLeft()
    unsafe continuation?.resume(returning: false)
  }

  /// The waiter was called off: its entry in the list of the promise may be the one too many (rule 4.9).
  func bury() { source?.bury(1) }
}
