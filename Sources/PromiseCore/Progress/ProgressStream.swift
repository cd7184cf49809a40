/// The latest progress, for a task that takes it when it is ready (rule 5.5).
final class ProgressStream: ProgressSink, @unchecked Sendable {
  // `@unchecked`, because the variables are accessed under the lock only.
  private let lock = ShortLock()
  private var latest = 0.0
  private var taken = 0.0
  private var isEnded = false
  private var waiter: CheckedContinuation<Double?, Never>?

  override func offer(_ value: Double, isLast: Bool) {
    change { if !$0.isEnded { $0.latest = max($0.latest, value) } }
  }

  override func end() { change { $0.isEnded = true } }

  /// Ends the stream without its untaken value, because the task was cancelled.
  func cancel() {
    change {
      $0.isEnded = true
      $0.latest = $0.taken
    }
  }

  /// Returns the next value, or `nil` after the last. One task at a time may wait.
  func next() async -> Double? {
    await withCheckedContinuation { continuation in
      change { $0.waiter = continuation }
    }
  }

  /// Changes the state, and resumes the waiting task outside the lock if there is a value for it or the stream has
  /// ended.
  private func change(_ body: (ProgressStream) -> Void) {
    typealias Wake = (waiter: CheckedContinuation<Double?, Never>, value: Double?)
    let wake = lock.locked { () -> Wake? in
      body(self)
      let value = latest > taken ? latest : nil
      guard value != nil || isEnded, let waiter else { return nil }
      self.waiter = nil
      taken = latest
      return (waiter, value)
    }
    wake?.waiter.resume(returning: wake?.value)
  }
}
