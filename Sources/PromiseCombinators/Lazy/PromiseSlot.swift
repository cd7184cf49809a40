import PromiseCore

/// Where the promise of a ``LazyPromise`` will be. Who wants it before gets one that follows it.
final class PromiseSlot<Value: Sendable>: @unchecked Sendable {
  // `@unchecked`: touched under the lock.
  private let lock = ShortLock()
  private var content: Promise<Value>?
  private var followers: [Deferred<Value>] = []

  /// `nil`: it has not been started.
  var current: Promise<Value>? { lock.locked { content } }

  /// The promise, or one that follows it: another thread is starting it at this moment.
  func promise(at site: CreationSite) -> Promise<Value> {
    if let promise = current { return promise }
    let follower = Deferred<Value>(at: site)
    let promise = lock.locked {
      if content == nil { followers.append(follower) }
      return content
    }
    if let promise { follower.follow(promise) }
    return follower.promise
  }

  func fill(_ new: Promise<Value>) {
    let followers = lock.locked {
      content = new
      defer { self.followers = [] }
      return self.followers
    }
    for follower in followers { follower.follow(new) }
  }
}
