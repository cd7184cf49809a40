import Foundation

/// Lets one thread at a time run steps. Recursive, because a step may run others.
///
/// Each ``TestWorld`` has a lock for all its steps, and all worlds share one for the steps of their ``TestWorld/main``.
/// A thread takes the lock of its world first. Two threads can still wait for each other, if a step on one `main` runs
/// another world. Then the timeout ends the wait.
final class StepLock: Sendable {
  private static let mainLock = NSRecursiveLock()

  private let lock: NSRecursiveLock
  private let timeout: Duration

  /// - Parameter timeout: the longest time for which ``withLock(_:)`` waits. It is limited, because the thread that
  ///   holds the lock may itself wait for the caller.
  convenience init(timeout: Duration) { self.init(NSRecursiveLock(), timeout: timeout) }

  private init(_ lock: NSRecursiveLock, timeout: Duration) {
    self.lock = lock
    self.timeout = timeout
  }

  /// Returns the lock that all worlds share for the steps of their ``TestWorld/main``. Handlers there may access the
  /// state of the main actor, which all worlds of a process have in common.
  func ofMain() -> StepLock { StepLock(Self.mainLock, timeout: timeout) }

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
