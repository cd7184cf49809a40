/// An asynchronous sequence of the progress of a promise. See ``Promise/progressUpdates``.
public struct ProgressUpdates: AsyncSequence, Sendable {
  /// A fraction from 0 to 1. The values never fall.
  public typealias Element = Double
  /// The sequence never throws. It ends in the same way for a fulfilled and for a rejected promise.
  public typealias Failure = Never

  private let promise: AnyPromise

  init(of promise: AnyPromise) { self.promise = promise }

  /// Starts to observe the promise. Each iterator receives the values separately.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(of: promise) }

  /// Receives the values one by one. Observes the promise for as long as a copy of the iterator exists.
  ///
  /// Copies share the observation. Only one Task waits at a time. If a second one begins to wait, the first gets `nil`.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let subscription: Subscription

    fileprivate init(of promise: AnyPromise) { subscription = Subscription(to: promise) }

    /// Waits until the progress is above the value that was returned before, and returns it. Values in between are
    /// skipped.
    ///
    /// - Returns: a fraction above 0 and up to 1. `nil` when the promise is settled and its last progress was returned,
    ///   and as soon as the calling task is cancelled. In both cases the promise is not observed any more.
    public mutating func next() async -> Double? { await subscription.next() }

    /// Waits for the next value as ``next()`` does. The caller determines the actor on which it resumes.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Double? { await subscription.next() }
  }

  /// The observation of one iterator.
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
  /// The progress of this promise as an asynchronous sequence (rules 5.1 to 5.5).
  ///
  /// ```swift
  /// for await fraction in download.progressUpdates { bar.fraction = fraction }
  /// ```
  ///
  /// The values are fractions above 0 and up to 1. Each is higher than the one before. If there is progress already,
  /// the first value comes at once. A loop that is slower than the reports gets the latest value each time. The
  /// sequence ends when the promise is settled, after 1 if it was fulfilled. It also ends when the task is cancelled.
  /// It never throws, and does not contain the outcome.
  ///
  /// The sequence is not a consumer of the promise (rule 4.0). An iterator retains the promise, and observes it from
  /// the moment when the iterator is made.
  ///
  /// - Complexity: O(1). Making an iterator, as ``onProgress(on:_:)``.
  public var progressUpdates: ProgressUpdates { ProgressUpdates(of: self) }
}

/// The latest progress, for a task that takes it when it is ready (rule 5.5).
final class ProgressStream: ProgressSink, @unchecked Sendable {
  // `@unchecked Sendable`, because the variables are accessed under the lock only.
  private let lock = ShortLock()
  private var latest = 0.0
  private var taken = 0.0
  private var isEnded = false
  private var waiter: CheckedContinuation<Double?, Never>?

  private enum Event {
    case offered(Double)
    case ended
    case cancelled
    case awaited(CheckedContinuation<Double?, Never>)
  }

  override func offer(_ value: Double, of _: AnyPromise, isSettled: Bool) {
    change(.offered(value))
  }

  override func end() { change(.ended) }

  /// Ends the stream without its untaken value, because the task was cancelled.
  func cancel() {
    change(.cancelled)
  }

  /// Returns the next value, or `nil` after the last. A Task that waits already gets `nil`.
  func next() async -> Double? {
    await withCheckedContinuation { change(.awaited($0)) }
  }

  /// Changes the state, and resumes the waiting task outside the lock if there is a value for it or the stream has
  /// ended.
  private func change(_ event: Event) {
    typealias Wake = (waiter: CheckedContinuation<Double?, Never>, value: Double?)
    var displaced: CheckedContinuation<Double?, Never>?
    let wake = lock.locked { () -> Wake? in
      switch event {
      case .offered(let value): if !isEnded { latest = max(latest, value) }
      case .ended: isEnded = true
      case .cancelled:
        isEnded = true
        latest = taken
      case .awaited(let continuation):
        displaced = waiter
        waiter = continuation
      }
      let value = latest > taken ? latest : nil
      guard value != nil || isEnded, let waiter else { return nil }
      self.waiter = nil
      taken = latest
      return (waiter, value)
    }
    displaced?.resume(returning: nil)
    wake?.waiter.resume(returning: wake?.value)
  }
}
