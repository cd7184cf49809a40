import Foundation

/// Who runs the steps of a world: one thread at a time, others wait for it. A step may run others.
final class Turn: Sendable {
  private let lock = NSRecursiveLock()

  func take<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }

  /// No other thread is at it.
  var isMine: Bool {
    guard lock.try() else { return false }
    lock.unlock()
    return true
  }
}
