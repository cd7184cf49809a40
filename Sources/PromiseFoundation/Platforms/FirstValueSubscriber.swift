#if canImport(Combine)
  import Combine
  import PromiseContexts
  import PromiseCore

  /// Fulfils a promise with the first value of a publisher, and cancels its subscription then.
  ///
  /// The publisher retains it, and it retains the owner of the promise. The promise must not retain it, so that the
  /// promise is rejected if the publisher releases it (rule 6.2).
  ///
  /// `@unchecked Sendable`, because the variables are accessed only under the lock.
  final class FirstValueSubscriber<Input: Sendable, Failure: Error>: Subscriber, @unchecked Sendable {
    private let deferred: PromiseCore.Deferred<Input>
    private let site: CreationSite
    private let lock = ShortLock()
    private var subscription: (any Subscription)?
    private var hasEnded = false

    init(settling deferred: PromiseCore.Deferred<Input>, at site: CreationSite) {
      self.deferred = deferred
      self.site = site
    }

    func receive(subscription: any Subscription) {
      let isWanted = lock.locked {
        if hasEnded || self.subscription != nil { return false }
        self.subscription = subscription
        return true
      }
      if isWanted { subscription.request(.max(1)) } else { subscription.cancel() }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
      cancel()
      deferred.settleIfPending { input }
      return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
      // A publisher may complete inside `cancel()`, before the value that has arrived settles the promise.
      if lock.locked({ hasEnded }) { return }
      _ = end()
      switch completion {
      case .failure(let error): deferred.rejectIfPending(with: error)
      case .finished: deferred.rejectIfPending(with: PromiseError.broken(createdAt: site))
      }
    }

    func cancel() { end()?.cancel() }

    /// Returns the subscription to the first caller.
    private func end() -> (any Subscription)? {
      lock.locked {
        hasEnded = true
        return subscription.take()
      }
    }
  }
#endif
