import Foundation

/// A value behind a lock. `Synchronization.Mutex` is not used, because ThreadSanitizer reports false races in it as
/// soon as two threads contend. The `Locked` of the tests is not used, because it would need other modules of this
/// package.
final class Guarded<Value>: @unchecked Sendable {
  // `@unchecked`, because the value is accessed only under the lock.
  private var value: Value
  private let lock = NSLock()

  init(_ value: Value) { self.value = value }

  func withLock<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&value) } }
}
