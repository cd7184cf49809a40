/// The progress of a promise as it grows, as an asynchronous sequence: see ``Promise/progressUpdates``.
public struct ProgressUpdates: AsyncSequence, Sendable {
  /// 0...1, never falling.
  public typealias Element = Double
  /// A promise that is rejected ends the sequence as one that is fulfilled does.
  public typealias Failure = Never

  private let promise: AnyPromise

  init(of promise: AnyPromise) { self.promise = promise }

  /// Starts to observe the promise. Each iterator sees the sequence for itself.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(of: promise) }

  /// Takes the values one by one. Observes the promise as long as it is there.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let subscription: Subscription

    fileprivate init(of promise: AnyPromise) { subscription = Subscription(to: promise) }

    /// The progress, as soon as it is above what was taken before; values between are left out.
    ///
    /// - Returns: a fraction, above 0 and up to 1. `nil` when the promise is settled and its last progress was taken,
    ///   and as soon as the calling task is cancelled: then the promise is not observed any more.
    public mutating func next() async -> Double? { await subscription.next() }

    /// As ``next()``; where it resumes is left to the caller.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Double? { await subscription.next() }
  }

  /// What one iterator observes.
  private final class Subscription: Sendable {
    private let promise: AnyPromise
    private let stream = ProgressStream()

    init(to promise: AnyPromise) {
      self.promise = promise
      promise.observeProgress(by: stream)
    }

    deinit { promise.ignoreProgress(by: stream) }

    func next() async -> Double? {
      await withTaskCancellationHandler {
        await stream.next()
      } onCancel: {
        stream.cancel()
        promise.ignoreProgress(by: stream)
      }
    }
  }
}

extension Promise {
  /// The progress of this promise as it grows (rules 5.1 to 5.5).
  ///
  /// ```swift
  /// for await fraction in download.progressUpdates { bar.fraction = fraction }
  /// ```
  ///
  /// The values are fractions, above 0 and up to 1, each higher than the one before; the first comes at once if there
  /// is progress already. A loop that is slower than the reports gets the latest value each time. The sequence ends
  /// when the promise is settled, after 1 if it was fulfilled, and when the task is cancelled; it never throws. What
  /// comes out of the promise is to be had from the promise.
  ///
  /// It does not count as a consumer (rule 4.0). An iterator keeps the promise, and observes it from the moment when it
  /// was made.
  ///
  /// - Complexity: O(1); an iterator, as ``onProgress(on:_:)``.
  public var progressUpdates: ProgressUpdates { ProgressUpdates(of: self) }
}
