public import NIOCore
public import PromiseContexts

/// Runs handlers on an event loop of SwiftNIO, in order, one at a time. See
/// ``PromiseCore/ExecutionContext/eventLoop(_:)``.
///
/// A loop that has shut down drops its tasks. A promise derived by such a handler is rejected with
/// `PromiseError.contextDropped`.
public final class EventLoopContext: ExecutionContext {
  private let loop: any EventLoop

  fileprivate init(_ loop: any EventLoop) { self.loop = loop }

  /// Runs the job in a later turn of the loop.
  public func schedule(_ job: consuming Job) {
    let job = consume job
    // Retains this context until the job has run. A blocking wait looks up the context of a handler, to detect a
    // deadlock.
    loop.execute { withExtendedLifetime(self) { job.run() } }
  }

  /// Runs the jobs in one task of the loop, in order.
  public func schedule(batch: consuming [Job]) {
    let jobs = consume batch
    loop.execute { withExtendedLifetime(self) { for job in jobs { job.run() } } }
  }

  /// The identity of the loop. Handlers of one settlement are scheduled on it together.
  public var identity: ObjectIdentifier? { ObjectIdentifier(loop) }

  /// `true` on the loop itself. On other threads `nil`, because the loop may be waiting for the calling thread.
  public var isCurrent: Bool? { loop.inEventLoop ? true : nil }
}

extension ExecutionContext where Self == EventLoopContext {
  /// Returns a context that runs handlers on an event loop.
  public static func eventLoop(_ loop: any EventLoop) -> EventLoopContext { EventLoopContext(loop) }
}

extension EventLoopFuture where Value: Sendable {
  /// Returns a promise for the outcome of the future.
  ///
  /// SwiftNIO cannot cancel a future. If the promise is cancelled, the closure can stop the work, for example by
  /// closing the channel. The promise has not finished before the future has completed, so the release of a `using` and
  /// a place in a gate wait for it. If the future completes only after that, as a channel's `closeFuture` may, use
  /// `promise().shielded()`, which waits for nothing.
  ///
  /// - Parameter stop: is called when the promise is cancelled, where hooks of `onCancel` run.
  public func promise(
    fileID: StaticString = #fileID, line: UInt = #line, onCancel stop: (@Sendable () -> Void)? = nil
  ) -> Promise<Value> {
    let deferred = Deferred<Value>(fileID: fileID, line: line)
    // Weak, because the future retains the owner, and so this hook, until it completes.
    deferred.onCancelThen(fileID: fileID, line: line) { [weak self] _ in
      stop?()
      let end = Deferred<Void>(fileID: fileID, line: line)
      if let self { self.whenComplete { _ in end.fulfill() } } else { end.fulfill() }
      return end.promise
    }
    // If the promise was cancelled, this changes nothing.
    whenComplete { deferred.settle($0) }
    return deferred.promise
  }
}

extension Scheduled where T: Sendable {
  /// Returns a promise for the outcome of the task. Cancelling the promise cancels the task.
  public func promise(fileID: StaticString = #fileID, line: UInt = #line) -> Promise<T> {
    futureResult.promise(fileID: fileID, line: line) { self.cancel() }
  }
}

extension Promise {
  /// Returns a future that completes on the loop as the promise does.
  ///
  /// The future is a consumer of the promise, so the work goes on for it. To stop the work, cancel the promise.
  public func future(on loop: any EventLoop) -> EventLoopFuture<Value> {
    let future = loop.makePromise(of: Value.self)
    onSettled(on: .eventLoop(loop)) { future.completeWith($0) }
    return future.futureResult
  }
}
