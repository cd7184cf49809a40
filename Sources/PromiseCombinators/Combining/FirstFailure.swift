import PromiseCore

/// The input that was rejected first.
final class FirstFailure: @unchecked Sendable {
  // `@unchecked`: written once, under the lock.
  private let lock = ShortLock()
  private var first: AnyPromise?

  var input: AnyPromise? { lock.locked { first } }

  func record(_ input: AnyPromise) { lock.locked { if first == nil { first = input } } }
}
