import PromiseCore

/// An asynchronous sequence of the arrivals of a signal, for example to read settings again at each `SIGHUP`.
///
/// ```swift
/// let hangups = try ProcessSignals(SIGHUP)
/// for await _ in hangups { await settings.reload() }
/// ```
///
/// From its creation on, the signal has no other effect, also between two signals. The former action of the process is
/// restored when the last reader leaves. A reader leaves when its loop ends or its iterator is released. If its Task is
/// cancelled, it leaves at once when it waits for a signal, and otherwise at its next call. Until the sequence has an
/// iterator, the sequence itself is the reader, and its first iterator receives a signal that has arrived meanwhile. So
/// create the sequence before you start the Task that reads.
///
/// Each iterator receives each signal, and so do promises of ``PromiseCore/Promise/signal(_:fileID:line:)``. **Signals
/// that arrive while the reader is busy count as one**, which it receives when it asks for the next. The system also
/// merges signals that wait for the process.
///
/// While code reads `SIGINT`, Ctrl-C does not end the program. To let a second Ctrl-C end it, leave the loop:
///
/// ```swift
/// for await _ in try ProcessSignals(SIGINT) {
///   work.cancel(upstream: true)
///   break
/// }
/// ```
///
/// A reader needs a free thread of Swift concurrency to receive a signal and to leave. Where blocked calls may occupy
/// all of them, use ``PromiseCore/Promise/signal(_:fileID:line:)``, which restores the former action in any case. It
/// also describes handlers of other code, and signals that do not arrive.
public struct ProcessSignals: AsyncSequence, Sendable {
  /// The number of the signal.
  public typealias Element = Int32
  /// The sequence never throws.
  public typealias Failure = Never

  private let number: Int32
  private let first: FirstSubscription

  /// Creates the sequence, and catches the signal from now on.
  ///
  /// - Parameter number: the number of the signal, for example `SIGHUP` or `SIGUSR1`.
  /// - Throws: ``UncatchableSignalError``, in the cases in which a promise for the signal is rejected with it.
  public init(_ number: Int32) throws(UncatchableSignalError) {
    self.number = number
    do { first = FirstSubscription(try Subscription(to: number)) } catch {
      throw UncatchableSignalError(number: number, code: error.code)
    }
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
