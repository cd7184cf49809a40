/// The latest progress, for a task that takes it when it is ready (rule 5.5).
final class ProgressStream: ProgressSink, @unchecked Sendable {
  // `@unchecked`, because the variables are accessed under the lock only.
  private let lock = ShortLock()
  private var latest = 0.0
  private var taken = 0.0
  private var isEnded = false
  private var waiter: CheckedContinuation<Double?, Never>?

  private enum Event {
    case offered(Double)
    case ended
    case cancelled
    case awaited(CheckedContinuation<Double?, Never>)
  }

  override func offer(_ value: Double, isLast: Bool) {
    change(.offered(value))
  }

  override func end() { change(.ended) }

  /// Ends the stream without its untaken value, because the task was cancelled.
  func cancel() {
    change(.cancelled)
  }

  /// Returns the next value, or `nil` after the last. One task at a time may wait.
  func next() async -> Double? {
    await withCheckedContinuation { change(.awaited($0)) }
  }

  /// Changes the state, and resumes the waiting task outside the lock if there is a value for it or the stream has
  /// ended.
  private func change(_ event: Event) {
    typealias Wake = (waiter: CheckedContinuation<Double?, Never>, value: Double?)
    let wake = lock.locked { () -> Wake? in
      switch event {
      case .offered(let value): if !isEnded { latest = max(latest, value) }
      case .ended: isEnded = true
      case .cancelled: (isEnded, latest) = (true, taken)
      case .awaited(let continuation): waiter = continuation
      }
      let value = latest > taken ? latest : nil
      guard value != nil || isEnded, let waiter else { return nil }
      self.waiter = nil
      taken = latest
      return (waiter, value)
    }
    wake?.waiter.resume(returning: wake?.value)
  }
}
