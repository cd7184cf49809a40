import Foundation

/// A value that is protected by a lock.
///
/// `Synchronization.Mutex` is not used, because its slow path on Linux is not instrumented. ThreadSanitizer reports
/// false races when two threads contend for it.
package final class Locked<Value>: @unchecked Sendable {
  // `@unchecked Sendable`, because the value is accessed under the lock only.
  private let lock = NSLock()
  private var value: Value

  package init(_ value: Value) { self.value = value }

  package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
