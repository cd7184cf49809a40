import Foundation
import PromiseContexts
import PromiseCore
import PromiseFoundation

/// The body of a response on its way from a session to the consumer of an ``HTTPStream``.
///
/// The session appends pieces, and the consumer takes them in order. If the consumer is slower, the session is paused
/// when ``capacity`` bytes wait here, and goes on when half of them were taken.
///
/// `@unchecked Sendable`, because the variables are accessed only under the lock.
final class BodyStream: @unchecked Sendable {
  /// The number of bytes at which the session is paused. A session may read more before it pauses. On Linux that is at
  /// most 1.6 MB, because libcurl reads up to a hundred pieces of 16 KiB at a time.
  static let capacity = 256 << 10

  /// The owner's side of the promise for the end of the body. It is settled when the consumer has received the end, so
  /// until then a client can cancel it.
  let end: Deferred<Void>
  private let lock = NSLock()
  /// The owner's side of the promise for the stream. `nil` after it was taken. Invariant: it is taken before it is
  /// settled, because it would retain the stream, which is to be released when the client drops it.
  private var head: Deferred<HTTPStream>?
  private var hasBegun = false
  /// The pieces that wait for the consumer. Those before `first` were taken.
  private var pieces: [Data] = []
  private var first = 0
  /// The number of bytes in the pieces that wait.
  private var count = 0
  /// The number of calls that wait in a ``PacedQueue``, each with a piece of at most 16 KiB.
  private var waitingCalls = 0
  /// The end of the body, which follows the pieces that wait. `nil` while more may come.
  private var ending: Result<Void, any Error>?
  /// Consumers that wait for a piece. Invariant: if there are any and `isLeaving` is not set, no piece waits, and there
  /// is no ending.
  private var consumers: [CheckedContinuation<Data?, any Error>] = []
  /// Whether the Task of a consumer was cancelled, and the pool has not cancelled the promise for the end yet. Until
  /// then no consumer goes on.
  private var isLeaving = false
  /// Whether the session has ended the request. A paused session stays so until then, because it would read the whole
  /// body while it cancels.
  private var isFinished = false
  private var isPaused = false
  private var pause: (_ pauses: Bool) -> Void = { _ in }
  /// The idle time of the request, in seconds. `nil` for that of its session.
  let idleLimit: TimeInterval?
  /// Where a cancelled Task leaves. Determined here, because the thread that cancels may be in another test world.
  private let pool = PoolContext.pool
  /// Measures the idle time on Linux.
  private let timers: any TimerContext
  #if canImport(FoundationNetworking)
    private var idleTimer: IdleTimer?
  #endif

  init(head: Deferred<HTTPStream>, end: Deferred<Void>, idleLimit: TimeInterval?, timers: any TimerContext) {
    self.head = head
    self.end = end
    self.idleLimit = idleLimit
    self.timers = timers
    end.onCancel { [weak self] reason in self?.stop(because: reason) }
  }

  // MARK: The session

  /// Sets how the session is paused. The closure is called under a lock, so it must not call this object.
  func onPause(_ pause: @escaping @Sendable (_ pauses: Bool) -> Void) { lock.withLock { self.pause = pause } }

  /// Pauses the session, or lets it run. The caller holds the lock.
  private func updatePause() {
    // Half of the room, so that the session is not paused for each piece.
    let waiting = count + waitingCalls * (16 << 10)
    let staysPaused = isPaused && (ending != nil || waiting >= Self.capacity / 2)
    let pauses = !isFinished && (staysPaused || waiting >= Self.capacity)
    guard pauses != isPaused else { return }
    isPaused = pauses
    pause(pauses)
    #if canImport(FoundationNetworking)
      idleTimer?.setPaused(pauses)
    #endif
  }

  #if canImport(FoundationNetworking)
    func addWaitingCall() {
      lock.withLock {
        waitingCalls += 1
        updatePause()
      }
    }

    func removeWaitingCall() {
      lock.withLock {
        waitingCalls -= 1
        updatePause()
      }
    }

    /// Starts to measure the idle time.
    func startIdleTimer(limit: TimeInterval, _ expired: @escaping @Sendable () -> Void) {
      lock.withLock { idleTimer = IdleTimer(limit: .seconds(limit), on: timers, expired) }
    }

    /// Measures the idle time anew, because the session has sent or received something.
    func restartIdleTimer() { lock.withLock { idleTimer }?.restart() }

    func stopIdleTimer() {
      // Released outside the lock, because a release may run other code (rule 6.5).
      let stopped = lock.withLock { idleTimer.take() }
      withExtendedLifetime(stopped) {}
    }
  #endif

  /// Begins the body, and fulfils the promise for the stream. Before, the body may turn out to be that of an error.
  func begin(with response: HTTPResponse) {
    let head = lock.withLock {
      hasBegun = true
      return self.head.take()
    }
    head?.settleIfPending { HTTPStream(response, body: self) }
  }

  /// Rejects the promise for the stream, if the body has not begun.
  func refuse(because error: any Error) {
    let head = lock.withLock { self.head.take() }
    // No client has this promise.
    end.settleIfPending {}
    // The request may still run, if the body of a response that is not accepted is too large (rule 2.11).
    head?.ownedPromise.staysUnfinished(until: end.promise)
    head?.rejectIfPending(with: error)
  }

  func append(_ piece: Data) {
    guard !piece.isEmpty else { return }
    let consumer: CheckedContinuation<Data?, any Error>? = lock.withLock {
      guard ending == nil else { return nil }
      if !isLeaving, !consumers.isEmpty { return consumers.removeFirst() }
      pieces.append(piece)
      count += piece.count
      updatePause()
      return nil
    }
    consumer?.resume(returning: piece)
  }

  /// Ends the body. The consumer receives the end after the pieces that wait.
  ///
  /// - Returns: whether the body has begun. If it has not, no consumer knows this object, and nothing happens.
  @discardableResult
  func finish(with ending: Result<Void, any Error>) -> Bool {
    let (hasBegun, consumers): (Bool, [CheckedContinuation<Data?, any Error>]) = lock.withLock {
      guard self.hasBegun else { return (false, []) }
      if self.ending == nil { self.ending = ending }
      return (true, isLeaving ? [] : takeConsumers())
    }
    for consumer in consumers { deliver(ending, to: consumer) }
    return hasBegun
  }

  /// Lets a paused session go on, which has ended the request.
  func requestHasEnded() {
    lock.withLock {
      isFinished = true
      updatePause()
    }
  }

  /// Discards all pieces, and ends the body with an error.
  private func stop(because reason: any Error) {
    let consumers = lock.withLock {
      pieces = []
      first = 0
      count = 0
      ending = .failure(reason)
      isLeaving = false
      return takeConsumers()
    }
    for consumer in consumers { consumer.resume(throwing: reason) }
  }

  /// Under the lock.
  private func takeConsumers() -> [CheckedContinuation<Data?, any Error>] {
    defer { consumers = [] }
    return consumers
  }

  // MARK: The consumer

  /// Waits for the next piece, and returns it, or `nil` at the end of the body.
  ///
  /// Cancelling the Task cancels the promise for the end, and so the request. The pool does so, because the runtime
  /// holds a lock while it cancels a Task (rules 4.5 and 4.7). This returns or throws afterwards.
  ///
  /// - Throws: the error that has ended the body. It is thrown again by each further call.
  func next() async throws -> Data? {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { consumer in
        let (piece, ending): (Data?, Result<Void, any Error>?) = lock.withLock {
          if isLeaving {
            consumers.append(consumer)
            return (nil, nil)
          }
          if let piece = takeFirst() { return (piece, nil) }
          if self.ending == nil { consumers.append(consumer) }
          return (nil, self.ending)
        }
        if let piece { return consumer.resume(returning: piece) }
        if let ending { deliver(ending, to: consumer) }
      }
    } onCancel: {
      lock.withLock { isLeaving = true }
      let leaving = Leaving(self)
      // Not a promise of the thread that cancels.
      DiagnosticsScope.$current.withValue(nil) {
        Promise.run(on: pool) { leaving.run() }.markHandledInAdvance()
      }
    }
  }

  /// Lets a cancelled Task leave, on the pool. If the pool drops the job, because its test world has ended, this happens
  /// when the job is released.
  private final class Leaving: @unchecked Sendable {
    // `@unchecked Sendable`, because a job runs once, and is released after that.
    private var stream: BodyStream?

    init(_ stream: BodyStream) { self.stream = stream }

    func run() { stream.take()?.leave() }

    deinit { stream?.leave() }
  }

  /// Cancels the promise for the end.
  private func leave() {
    end.promise.cancel()
    let (ending, consumers): (Result<Void, any Error>?, [CheckedContinuation<Data?, any Error>]) = lock.withLock {
      // Without an ending, another thread has cancelled the promise, and calls `stop` next.
      isLeaving = self.ending == nil
      return (self.ending, self.ending == nil ? [] : takeConsumers())
    }
    if let ending { for consumer in consumers { deliver(ending, to: consumer) } }
  }

  private func takeFirst() -> Data? {
    guard first < pieces.count else { return nil }
    let piece = pieces[first]
    pieces[first] = Data()
    first += 1
    if first == pieces.count {
      pieces = []
      first = 0
    }
    count -= piece.count
    updatePause()
    return piece
  }

  /// Settles the promise for the end, and passes the end to a consumer.
  private func deliver(_ ending: Result<Void, any Error>, to consumer: CheckedContinuation<Data?, any Error>) {
    end.settleIfPending { try ending.get() }
    // The consumer has the error, so it is handled.
    _ = end.promise.error
    consumer.resume(with: ending.map { nil })
  }
}
