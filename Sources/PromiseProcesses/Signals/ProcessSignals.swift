import PromiseCore

/// An asynchronous sequence of the arrivals of a signal. See ``PromiseCore/Promise/signals(_:)``.
public struct ProcessSignals: AsyncSequence, Sendable {
  /// The number of the signal.
  public typealias Element = Int32
  /// The sequence never throws.
  public typealias Failure = Never

  private let number: Int32
  private let first: FirstSubscription

  init(_ number: Int32) throws(SystemError) {
    self.number = number
    first = FirstSubscription(try Subscription(to: number))
  }

  /// Starts to read. Each iterator receives the signals separately. The first also receives a signal that has arrived
  /// since the sequence was made.
  public func makeAsyncIterator() -> AsyncIterator {
    // The call succeeds, because it did so for the first iterator.
    AsyncIterator(of: first.take() ?? (try? Subscription(to: number)))
  }

  /// Receives the signals one by one, for as long as a copy of the iterator exists.
  ///
  /// Copies share what they receive. Only one Task waits at a time. If a second one begins to wait, the first gets
  /// `nil`.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let subscription: Subscription?

    fileprivate init(of subscription: Subscription?) { self.subscription = subscription }

    /// Waits for a signal. If one has arrived since the previous call has returned, or several have, returns at once.
    ///
    /// - Returns: the number of the signal. `nil` as soon as the calling task is cancelled. Then the iterator receives
    ///   no more signals.
    public mutating func next() async -> Int32? { await subscription?.next() }

    /// Waits for a signal as ``next()`` does. The caller determines the actor on which it resumes.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Int32? { await subscription?.next() }
  }

  /// A reader of the signal. The process catches the signal at least until the reader is deallocated or its Task is
  /// cancelled.
  fileprivate final class Subscription: Sendable {
    private let number: Int32
    private let stream = SignalStream()
    private let stopListening: @Sendable () -> Void

    init(to number: Int32) throws(SystemError) {
      self.number = number
      stopListening = try SignalListeners.add(.stream(stream), for: number)
    }

    deinit { stopListening() }

    func next() async -> Int32? {
      await withTaskCancellationHandler {
        await stream.next() ? number : nil
      } onCancel: {
        // Before the Task goes on, so that the former action is restored for it.
        stopListening()
        stream.end()
      }
    }
  }

  /// Receives the signals until the first iterator takes its place. Copies of a sequence share it.
  private final class FirstSubscription: @unchecked Sendable {
    // `@unchecked Sendable`, because the variable is accessed only under the lock.
    private let lock = ShortLock()
    private var subscription: Subscription?

    init(_ subscription: Subscription) { self.subscription = subscription }

    func take() -> Subscription? { lock.locked { subscription.take() } }
  }
}
