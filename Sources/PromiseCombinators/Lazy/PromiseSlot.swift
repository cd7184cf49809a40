import PromiseCore

/// Stores the promise of a ``LazyPromise``.
///
/// A caller that requests the promise before the start gets a pending promise, which follows the started one later.
final class PromiseSlot<Value: Sendable>: @unchecked Sendable {
  // `@unchecked` is correct because `content` is used under the lock only. Nothing is released under it.
  private let lock = ShortLock()
  private var content: Promise<Value>?

  /// The promise, or `nil` if the work has not started and no caller has requested the promise.
  var current: Promise<Value>? { lock.locked { content } }

  /// Returns the promise, which is the same for all callers.
  ///
  /// If there is none yet, a pending promise is created. Then another thread is starting the work at this moment, or
  /// the work was cancelled before it started.
  func promise(at site: CreationSite) -> Promise<Value> {
    if let promise = current { return promise }
    let new = Promise<Value>(pendingAt: site)
    return lock.locked {
      let promise = content ?? new
      content = promise
      return promise
    }
  }

  /// Stores the started promise. If a caller has requested a promise before, that promise follows the started one.
  func fill(_ new: Promise<Value>) {
    let earlier = lock.locked {
      if content == nil { content = new }
      return content
    }
    // If the lazy promise was cancelled while it was being started, this gives the started one up (rule 3.1).
    if let earlier, earlier !== new { _ = earlier.followIfPending(new) }
  }
}
