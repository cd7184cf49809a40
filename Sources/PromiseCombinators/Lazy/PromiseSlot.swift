import PromiseCore

/// Stores the promise of one start of a ``LazyPromise``.
///
/// A caller that requests the promise while the work is being started gets a pending promise, which follows the started
/// one later.
final class PromiseSlot: @unchecked Sendable {
  // `@unchecked Sendable`, because `content` is used under the lock only. Nothing is released under it.
  private let lock = ShortLock()
  private var content: AnyPromise?

  /// The promise, or `nil` if the work has not started and no caller has requested the promise.
  var current: AnyPromise? { lock.locked { content } }

  /// Returns the promise, which is the same for all callers.
  ///
  /// If there is none yet, a pending promise is made. Then another thread is starting the work at this moment, or the
  /// work was cancelled before it started.
  func promise(_ make: () -> AnyPromise) -> AnyPromise { current ?? store(make()) }

  /// Stores the started promise.
  ///
  /// - Returns: the pending promise that a caller has requested before, for the caller to make it follow the started
  ///   one. `nil` if there is none.
  func fill(_ new: AnyPromise) -> AnyPromise? {
    let stored = store(new)
    return stored === new ? nil : stored
  }

  private func store(_ new: AnyPromise) -> AnyPromise {
    // Before other threads know the promise, so that none gives it up unnoticed.
    new.recordGivingUp()
    return lock.locked {
      let promise = content ?? new
      content = promise
      return promise
    }
  }
}
