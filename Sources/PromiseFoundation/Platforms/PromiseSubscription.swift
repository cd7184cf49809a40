#if canImport(Combine)
  import Combine
  import PromiseContexts

  /// The subscription of one subscriber to a promise. It calls the subscriber once, after the subscriber has requested
  /// a value and the promise is settled.
  ///
  /// The closure `deliver` captures the subscriber. The subscriber's type is not a parameter of this class, because its
  /// metatype need not be `Sendable`. Then a handler of the promise could not capture the subscription.
  ///
  /// `@unchecked Sendable`, because the variables are accessed only under the lock.
  final class PromiseSubscription<Output: Sendable>: Subscription, @unchecked Sendable {
    private let promise: Promise<Output>
    private let lock = ShortLock()
    private var deliver: Deliver?
    private var waiter: Promise<Output>?
    private var hasRequested = false
    private var isCancelled = false

    /// Calls the subscriber. The second argument returns whether the subscription has not been cancelled meanwhile.
    typealias Deliver = (Result<Output, any Error>, _ isActive: () -> Bool) -> Void

    init(of promise: Promise<Output>, deliveringBy deliver: @escaping Deliver) {
      self.promise = promise
      self.deliver = deliver
    }

    func request(_ demand: Subscribers.Demand) {
      guard demand > .none, lock.locked({ isFirstRequest() }) else { return }
      // A promise of the subscription's own. Cancelling it detaches one consumer of the source, and leaves the others.
      let waiter = promise.shielded()
      let isCancelled = lock.locked {
        self.waiter = waiter
        return deliver == nil
      }
      if isCancelled { return waiter.cancel() }
      // Retains the subscription until it has delivered or is cancelled, because a subscriber need not retain it.
      waiter.onSettled(on: .pool) { [self] result in
        let (deliver, _) = lock.locked { (self.deliver.take(), self.waiter.take()) }
        deliver?(result) { self.lock.locked { !self.isCancelled } }
      }
    }

    /// Returns `true` for the first request of a subscription that is not cancelled. Call it under the lock.
    private func isFirstRequest() -> Bool {
      defer { hasRequested = true }
      return deliver != nil && !hasRequested
    }

    func cancel() {
      let (_, waiter) = lock.locked {
        isCancelled = true
        return (deliver.take(), self.waiter.take())
      }
      waiter?.cancel()
    }
  }
#endif
