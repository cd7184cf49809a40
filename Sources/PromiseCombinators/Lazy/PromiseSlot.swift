import PromiseCore

/// Where the promise of a ``LazyPromise`` will be. Who wants it before gets one that becomes what that one becomes.
final class PromiseSlot<Value: Sendable>: @unchecked Sendable {
  // `@unchecked`: touched under the lock. Nothing is released under it.
  private let lock = ShortLock()
  private var content: Promise<Value>?

  /// `nil`: it has not been started, and nobody has asked for it.
  var current: Promise<Value>? { lock.locked { content } }

  /// The promise, the same for all who ask. If there is none yet, another thread is starting it at this moment, or it
  /// never will be.
  func promise(at site: CreationSite) -> Promise<Value> {
    if let promise = current { return promise }
    let new = Promise<Value>(pendingAt: site)
    return lock.locked {
      let promise = content ?? new
      content = promise
      return promise
    }
  }

  /// This is the promise, or what it becomes.
  func fill(_ new: Promise<Value>, at site: CreationSite) {
    let earlier = lock.locked {
      if content == nil { content = new }
      return content
    }
    guard let earlier, earlier !== new, !earlier.followIfPending(new) else { return }
    // It was cancelled while it was being started; perhaps at this very moment, and the reason cannot be read yet.
    earlier.whenSettled {
      // What that has made is given up (rule 4.6), and with what was wanted its errors are of no interest.
      let unwanted = new.owned(at: site)
      unwanted.cancel(reason: earlier.settledError ?? CancellationError())
      _ = unwanted.result
    }
  }
}
