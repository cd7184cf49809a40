#if canImport(Combine)
  import Combine
  import PromiseContexts

  /// What one subscriber waits for. It is called once, when the promise is settled and it has asked for a value.
  ///
  /// The subscriber is in the closure: were its type a parameter here, no handler of the promise could know this subscription.
  ///
  /// `@unchecked Sendable`: `deliver`, `waiter` and `hasAsked` are touched under the lock only.
  final class PromiseSubscription<Output: Sendable>: Subscription, @unchecked Sendable {
    private let promise: Promise<Output>
    private let lock = ShortLock()
    private var deliver: ((Result<Output, any Error>) -> Void)?
    private var waiter: Promise<Output>?
    private var hasAsked = false

    init(of promise: Promise<Output>, deliveringBy deliver: @escaping (Result<Output, any Error>) -> Void) {
      self.promise = promise
      self.deliver = deliver
    }

    func request(_ demand: Subscribers.Demand) {
      guard demand > .none, lock.locked({ mayAsk() }) else { return }
      // A promise of its own, so that cancelling it takes one consumer away, and no other.
      let waiter = promise.shielded()
      let isCancelled = lock.locked {
        self.waiter = waiter
        return deliver == nil
      }
      if isCancelled { return waiter.cancel() }
      waiter.onSettled(on: .pool) { [weak self] result in self?.take()?(result) }
    }

    /// Once; under the lock.
    private func mayAsk() -> Bool {
      defer { hasAsked = true }
      return deliver != nil && !hasAsked
    }

    func cancel() {
      _ = take()
      lock.locked { waiter.take() }?.cancel()
    }

    private func take() -> ((Result<Output, any Error>) -> Void)? { lock.locked { deliver.take() } }
  }
#endif
