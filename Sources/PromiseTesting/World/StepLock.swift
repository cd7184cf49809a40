import Foundation

/// Lets one thread at a time run the steps of a ``TestWorld``. Recursive, because a step may run others.
final class StepLock: Sendable {
  private let lock = NSRecursiveLock()
  private let timeout: Duration

  /// - Parameter timeout: how long ``withLock(_:)`` waits. The thread that has the lock may itself be waiting for the caller.
  init(timeout: Duration) { self.timeout = timeout }

  /// Runs a closure when no other thread has the lock. Returns `nil` if the time is up before.
  func withLock<Result>(_ body: () -> Result) -> Result? {
    guard lock.lock(before: Date(timeIntervalSinceNow: timeout / .seconds(1))) else { return nil }
    defer { lock.unlock() }
    return body()
  }

  /// Runs a closure, or returns `nil` if another thread has the lock.
  func tryWithLock<Result>(_ body: () -> Result) -> Result? {
    guard lock.try() else { return nil }
    defer { lock.unlock() }
    return body()
  }
}
