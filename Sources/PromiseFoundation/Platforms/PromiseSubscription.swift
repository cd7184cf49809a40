#if canImport(Combine)
  import Combine
  import PromiseContexts

  /// What one subscriber waits for. It is called once, when the promise is settled and it has asked for a value.
  ///
  /// `@unchecked Sendable`: `subscriber` and `waiter` are touched under the lock only.
  final class PromiseSubscription<S: Subscriber, Output: Sendable>: Subscription, @unchecked Sendable
  where S.Input == Output, S.Failure == any Error {
    private let promise: Promise<Output>
    private let lock = ShortLock()
    private var subscriber: S?
    private var waiter: Promise<Output>?

    init(of promise: Promise<Output>, for subscriber: S) {
      self.promise = promise
      self.subscriber = subscriber
    }

    func request(_ demand: Subscribers.Demand) {
      guard demand > .none, lock.locked({ subscriber != nil && waiter == nil }) else { return }
      // A promise of its own, so that cancelling it takes one consumer away, and no other.
      let waiter = promise.shielded()
      lock.locked { self.waiter = waiter }
      waiter.onSettled(on: .pool) { [weak self] in self?.deliver($0) }
    }

    private func deliver(_ result: Result<Output, any Error>) {
      guard let subscriber = take() else { return }
      switch result {
      case .success(let value):
        _ = subscriber.receive(value)
        subscriber.receive(completion: .finished)
      case .failure(let error):
        subscriber.receive(completion: .failure(error))
      }
    }

    func cancel() {
      _ = take()
      lock.locked { waiter.take() }?.cancel()
    }

    private func take() -> S? { lock.locked { subscriber.take() } }
  }
#endif
