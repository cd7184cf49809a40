import PromiseCore

/// Tells a Task that a signal has arrived. Signals that arrive while the Task does not wait count as one.
final class SignalStream: @unchecked Sendable {
  // `@unchecked Sendable`, because the variables are accessed only under the lock.
  private let lock = ShortLock()
  private var hasSignal = false
  private var isEnded = false
  private var waiter: CheckedContinuation<Bool, Never>?

  private enum Event {
    case received
    case ended
    case awaited(CheckedContinuation<Bool, Never>)
  }

  func receive() { change(.received) }

  /// Ends the stream without the signal that no call of ``next()`` has returned.
  func end() { change(.ended) }

  /// Waits until a signal has arrived since the previous call has returned. A Task that waits already gets `false`.
  ///
  /// - Returns: `false` if the stream has ended.
  func next() async -> Bool {
    await withCheckedContinuation { change(.awaited($0)) }
  }

  /// Changes the state, and resumes the waiting Task outside the lock if there is a signal for it or the stream has
  /// ended.
  private func change(_ event: Event) {
    typealias Wake = (waiter: CheckedContinuation<Bool, Never>, hasSignal: Bool)
    var displaced: CheckedContinuation<Bool, Never>?
    let wake = lock.locked { () -> Wake? in
      switch event {
      case .received: hasSignal = !isEnded
      case .ended:
        isEnded = true
        hasSignal = false
      case .awaited(let continuation):
        displaced = waiter
        waiter = continuation
      }
      guard hasSignal || isEnded, let waiter = waiter.take() else { return nil }
      defer { hasSignal = false }
      return (waiter, hasSignal)
    }
    displaced?.resume(returning: false)
    wake?.waiter.resume(returning: wake?.hasSignal ?? false)
  }
}
