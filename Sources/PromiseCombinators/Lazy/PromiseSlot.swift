import PromiseCore

/// Where the promise of a ``LazyPromise`` will be. Who wants it while another thread is starting it gets one that follows it.
final class PromiseSlot<Value: Sendable>: @unchecked Sendable {
  // `@unchecked`: touched under the lock.
  private let lock = ShortLock()
  private var content: Promise<Value>?
  private var followers: [Promise<Value>] = []
  /// It is to be cancelled as soon as it is there.
  private var reason: (any Error)?

  /// `nil`: it has not been started, or is being started.
  var current: Promise<Value>? { lock.locked { content } }

  /// The promise, of one that has been started, at least by another thread at this moment.
  func promise(at site: CreationSite) -> Promise<Value> {
    if let promise = current { return promise }
    let follower = Promise<Value>(pendingAt: site)
    let promise = lock.locked {
      if content == nil { followers.append(follower) }
      return content
    }
    if let promise { follower.followIfPending(promise) }
    return follower
  }

  func fill(_ new: Promise<Value>) {
    let (followers, reason) = lock.locked {
      content = new
      defer { (self.followers, self.reason) = ([], nil) }
      return (self.followers, self.reason)
    }
    for follower in followers { follower.followIfPending(new) }
    if let reason { new.cancel(reason: reason) }
  }

  /// Cancels it; if another thread is starting it, that thread does it.
  func cancel(reason: any Error) {
    let (promise, before) = lock.locked {
      let before = self.reason
      if content == nil { self.reason = reason }
      return (content, before)
    }
    withExtendedLifetime(before) { promise?.cancel(reason: reason) }
  }
}
