import Foundation

/// Lets one thread at a time run the steps of a ``TestWorld``. Recursive, because a step may run others.
final class StepLock: Sendable {
  private let lock = NSRecursiveLock()
  private let timeout: Duration

  /// - Parameter timeout: the longest time for which ``withLock(_:)`` waits. It is limited, because the thread that
  ///   holds the lock may itself wait for the caller.
  init(timeout: Duration) { self.timeout = timeout }

  /// Runs a closure when no other thread holds the lock. Returns `nil` if the timeout passes first.
  func withLock<Result>(_ body: () -> Result) -> Result? {
    guard lock.lock(before: Date(timeIntervalSinceNow: timeout / .seconds(1))) else { return nil }
    defer { lock.unlock() }
    return body()
  }

  /// Runs a closure, or returns `nil` if another thread holds the lock.
  func tryWithLock<Result>(_ body: () -> Result) -> Result? {
    guard lock.try() else { return nil }
    defer { lock.unlock() }
    return body()
  }
}
