#if canImport(Combine)
  public import Combine
  public import PromiseContexts

  /// A publisher of the value of a promise. See ``PromiseCore/Promise/publisher``.
  public struct PromisePublisher<Output: Sendable>: Publisher {
    /// The error type of the promise.
    public typealias Failure = any Error

    fileprivate let promise: Promise<Output>

    /// Attaches a subscriber. Each subscriber waits for the promise independently.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      let subscription = PromiseSubscription(of: promise) { result, isActive in
        switch result {
        case .success(let value):
          _ = subscriber.receive(value)
          if isActive() { subscriber.receive(completion: .finished) }
        case .failure(let error):
          subscriber.receive(completion: .failure(error))
        }
      }
      subscriber.receive(subscription: subscription)
    }
  }

  extension Promise {
    /// A publisher that publishes the value and finishes, or fails with the error.
    ///
    /// Subscribers are called on the pool. Use `receive(on:)` to call them elsewhere. Cancelling a subscription
    /// detaches one consumer (rule 4.0). Its subscriber is not called any more, and the promise stays as it is.
    public var publisher: PromisePublisher<Value> { PromisePublisher(promise: self) }
  }

  extension Publisher where Output: Sendable {
    /// Subscribes, and returns a promise for the first value.
    ///
    /// The promise is rejected with the publisher's error, or with ``PromiseCore/PromiseError/broken(createdAt:)`` if
    /// the publisher finishes without a value, or releases its subscriber. Cancelling the promise cancels the
    /// subscription.
    public func firstValue(fileID: StaticString = #fileID, line: UInt = #line) -> Promise<Output> {
      Promise(fileID: fileID, line: line) { deferred in
        let subscriber = FirstValueSubscriber<Output, Failure>(
          settling: deferred, at: CreationSite(fileID: fileID, line: line))
        deferred.onCancel { [weak subscriber] _ in subscriber?.cancel() }
        subscribe(subscriber)
      }
    }
  }
#endif
