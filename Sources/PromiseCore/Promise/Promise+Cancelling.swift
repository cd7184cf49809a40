// Clients cancel promises with `cancel`, and hand out promises that others cannot cancel with `shielded`.

extension AnyPromise {
  /// Cancels the promise and everything below it. To stop the work behind it too, call `cancel(upstream: true)`.
  ///
  /// Each of these promises is rejected with a `CancellationError`, and is marked as ``isCancelled``. The source is
  /// left alone. ``cancel(reason:upstream:)`` describes the effect in full, and this is that call without arguments. It
  /// is a function of its own, so that it can be passed as one: `button.onTap(promise.cancel)`.
  ///
  /// - Complexity: as that of ``cancel(reason:upstream:)``.
  @Sendable public final func cancel() { cancel(reason: CancellationError()) }

  /// Cancels the promise and everything below it. With `upstream: true` it also gives up the source.
  ///
  /// If no other consumer wants the source, the work behind this promise stops then, however many links lie between.
  ///
  /// The call is legal on any promise, from any thread, at any time, any number of times (rule 4.1). A settled promise
  /// stays as it is, but what is pending below it is cancelled all the same (rule 4.2).
  ///
  /// - **Below** are the promises that links made from this one, and those below them. When the call returns, they are
  ///   settled, even if another thread settles this promise or one of them at the same time. The exception is what
  ///   another cancellation has reached first: its thread settles that before its own call returns (rule 4.3). A
  ///   promise that has adopted or follows this one is rejected, and its links may recover (rule 3.1).
  /// - **Above**, nothing happens without `upstream`. With it, this promise stops being a consumer of its source, or of
  ///   its inputs if a combinator made it. A promise that has no consumer left is cancelled with the same reason, and
  ///   gives up what it waits for in turn (rule 4.4). This ends at settled promises and at
  ///   ``Promise/shielded(fileID:line:)``.
  /// - **Adopted** and followed promises are given up by each promise that is cancelled, with or without `upstream`
  ///   (rule 4.4).
  /// - **Handlers** for a value that have not started never run, nor do those that replace an error, such as that of
  ///   `recover`, and those of `catchFailure`, `onFailed` and `onProgress`. They are released before the call returns,
  ///   even if they were queued on their contexts. `catch` runs if the promise to which it is attached is rejected, and
  ///   `always` runs once (rule 2.5). No handler runs inside the call.
  /// - **Owners** are told: hooks of ``Deferred/onCancel(_:)`` run inside this call, after everything is settled (rule
  ///   4.5).
  ///
  /// A debug build prints when a call without `upstream` leaves work that no consumer waits for
  /// (``Diagnostics/onUnstoppedWork(_:)``).
  ///
  /// - Parameters:
  ///   - reason: the error with which everything that is cancelled is rejected (rule 1.2).
  ///   - upstream: whether to give up the source. Has no effect if the promise is already settled (rule 4.1).
  /// - Complexity: O(*n* + *m*), where *n* is the number of promises that are cancelled and of their handlers. *m* is the
  ///   number of promises below a settled promise that have not been deallocated, settled or not. Each call visits them,
  ///   so do not repeat the call for a long-lived promise with many of them.
  @Sendable
  public final func cancel(reason: any Error = CancellationError(), upstream: Bool = false) {
    if Diagnostics.hasEnrollments, isPending { resolved.note(.cancelled(reason: reason, upstream: upstream)) }
    #if DEBUG
      if !upstream { return reportingUnstoppedWork { cancelNow(because: reason, upstream: false) } }
    #endif
    cancelNow(because: reason, upstream: upstream)
  }

  @inline(__always)
  private final func cancelNow(because reason: any Error, upstream: Bool) {
    var cancellation = Cancellation(because: reason, hooksRun: .cancellingThread)
    cancellation.add(self, upstream: upstream)
    cancellation.run()
  }
}

extension Promise {
  /// Returns a promise with the same outcome that clients may cancel without any effect on this promise (rule 4.10).
  ///
  /// Hand it out if clients must not be able to cancel the work. Cancelling it, also with `upstream: true`, cancels
  /// only itself and what was made from it. Its ``AnyPromise/parent`` is `nil`, because the work could be cancelled
  /// through that.
  ///
  /// ```swift
  /// func load() -> Promise<Data> { deferred.promise.shielded() }
  /// ```
  ///
  /// It settles as this promise does, without a hop, and with the cancelled mark if this promise is cancelled. Its
  /// progress is that of this promise.
  ///
  /// - Complexity: O(1).
  @_alwaysEmitIntoClient
  public func shielded(fileID: StaticString = #fileID, line: UInt = #line) -> Promise {
    .derived(
      from: self, at: Site(fileID, line), on: nil, handling: [.hidesSource, .shields, .made(by: .shielded)],
      body: nil)
  }
}
