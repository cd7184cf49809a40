import Foundation

/// Who runs the steps of a world: one thread at a time, others wait for it. A step may run others.
final class Turn: Sendable {
  private let lock = NSRecursiveLock()
  /// How long to wait for the turn: who has it may be waiting for the caller.
  private let patience: Duration

  init(patience: Duration) { self.patience = patience }

  /// Waits for the turn. `nil`: it was not to be had.
  func take<Result>(_ body: () -> Result) -> Result? {
    guard lock.lock(before: Date(timeIntervalSinceNow: patience / .seconds(1))) else { return nil }
    defer { lock.unlock() }
    return body()
  }

  /// `nil`: another thread has it.
  func tryTake<Result>(_ body: () -> Result) -> Result? {
    guard lock.try() else { return nil }
    defer { lock.unlock() }
    return body()
  }
}
