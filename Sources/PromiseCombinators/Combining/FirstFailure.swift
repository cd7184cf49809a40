import PromiseCore

/// Remembers the input that was rejected first.
final class FirstFailure: @unchecked Sendable {
  // `@unchecked Sendable`, because `first` is read and written under the lock only.
  private let lock = ShortLock()
  private var first: AnyPromise?

  var input: AnyPromise? { lock.locked { first } }

  func record(_ input: AnyPromise) { lock.locked { if first == nil { first = input } } }
}
