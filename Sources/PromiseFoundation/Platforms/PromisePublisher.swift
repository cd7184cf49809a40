#if canImport(Combine)
  public import Combine
  public import PromiseContexts

  /// A promise as a publisher: see ``PromiseCore/Promise/publisher``.
  public struct PromisePublisher<Output: Sendable>: Publisher {
    /// That of the promise.
    public typealias Failure = any Error

    fileprivate let promise: Promise<Output>

    /// Each subscriber waits for the promise by itself.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      let subscription = PromiseSubscription(of: promise) { result in
        switch result {
        case .success(let value):
          _ = subscriber.receive(value)
          subscriber.receive(completion: .finished)
        case .failure(let error):
          subscriber.receive(completion: .failure(error))
        }
      }
      subscriber.receive(subscription: subscription)
    }
  }

  extension Promise {
    /// Publishes the value and ends, or fails with the error (reference row L15).
    ///
    /// Subscribers are called on the pool; `receive(on:)` brings them elsewhere. One that has cancelled is not called any
    /// more, and the promise goes on: cancelling a subscription detaches a consumer (rule 4.0).
    public var publisher: PromisePublisher<Value> { PromisePublisher(promise: self) }
  }

  extension Publisher where Output: Sendable {
    /// A promise for the first value. Rejected with the publisher's error, or with ``PromiseCore/PromiseError/broken(createdAt:)`` if it
    /// ends without a value. To cancel the promise cancels the subscription (reference row L15).
    public func firstValue(fileID: StaticString = #fileID, line: UInt = #line) -> Promise<Output> {
      let site = CreationSite(fileID: fileID, line: line)
      return Promise(fileID: fileID, line: line) { deferred in
        let sink = first().sink(
          receiveCompletion: { completion in
            switch completion {
            case .failure(let error): deferred.rejectIfPending(with: error)
            case .finished: deferred.rejectIfPending(with: PromiseError.broken(createdAt: site))
            }
          },
          receiveValue: { deferred.fulfill($0) })
        let subscription = UncheckedBox(sink)
        deferred.onCancel { _ in subscription.object.cancel() }
      }
    }
  }
#endif
