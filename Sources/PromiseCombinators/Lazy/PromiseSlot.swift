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
  func fill(_ new: Promise<Value>, at site: CreationSite) {
    let earlier = lock.locked {
      if content == nil { content = new }
      return content
    }
    guard let earlier, earlier !== new, !earlier.followIfPending(new) else { return }
    // The lazy promise was cancelled while it was being started. That thread may still be publishing the reason, so it
    // is read when the promise is settled.
    earlier.whenSettled {
      // The started work is given up (rule 4.6). Its error is marked as handled, because no client wants the work any
      // more.
      let unwanted = new.owned(at: site)
      unwanted.cancel(reason: earlier.settledError ?? CancellationError())
      _ = unwanted.result
    }
  }
}
