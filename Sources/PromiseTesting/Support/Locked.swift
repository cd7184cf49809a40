import Foundation

/// A value behind a lock. Not `Synchronization.Mutex`, whose slow path on Linux is not instrumented, so that
/// ThreadSanitizer reports races that are none as soon as two threads contend.
package final class Locked<Value>: @unchecked Sendable {
  // `@unchecked`: the value is touched under the lock only.
  private let lock = NSLock()
  private var value: Value

  package init(_ value: Value) { self.value = value }

  package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
