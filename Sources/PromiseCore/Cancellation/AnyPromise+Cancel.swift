extension AnyPromise {
  /// Cancels the promise and everything below it; to stop the work behind it too, call `cancel(upstream: true)`.
  ///
  /// Each becomes rejected with a `CancellationError`, marked ``isCancelled``. The source is left alone.
  /// ``cancel(reason:upstream:)`` says what exactly happens; this is that call without arguments. A function of its own, so that it
  /// can be passed as one: `button.onTap(promise.cancel)`.
  ///
  /// - Complexity: O(*n*), where *n* is the number of promises that are cancelled and of their handlers.
  @Sendable public final func cancel() { cancel(reason: CancellationError()) }

  /// Cancels the promise and everything below it and, with `upstream: true`, gives up its source: then the work behind this promise
  /// stops, however many links lie between, unless somebody else still wants it.
  ///
  /// Legal on any promise, from any thread, at any time, any number of times (rule 4.1). A promise that is settled stays as it
  /// is; what is pending below it is cancelled all the same (rule 4.2; reference row F4).
  ///
  /// - **Below**: every promise that links made from this one, and theirs. When the call returns they are settled, except where
  ///   another thread is settling one at this moment: that thread carries the rest out before its own call returns (rule 4.3).
  ///   A promise that has adopted this one, or follows it, is rejected, and its links may recover (rule 3.1).
  /// - **Above**: without `upstream`, nothing: RXPromise's rule. With it, this promise stops being a consumer of its source, or of
  ///   its inputs if a combinator made it. One that has no consumer left is cancelled with the same reason, and gives up what it
  ///   waits for in turn (rule 4.4). This ends at settled promises and at ``Promise/shielded(fileID:line:)``.
  /// - **Adopted**: what a cancelled promise has adopted or follows is given up in both forms (rule 4.4; reference row F6).
  /// - **Handlers**: those for a value that have not started, and those of `recover`, `rescue` and `mapError`, never run, and are
  ///   released before the call returns. `catch` runs if its own promise is rejected; `always` runs once (rule 2.5). None runs
  ///   inside the call.
  /// - **Owners**: hooks given to ``Deferred/onCancel(_:)`` run inside this call, after everything is settled (rule 4.5).
  ///
  /// - Parameters:
  ///   - reason: the error with which everything that is cancelled is rejected (rule 1.2; reference row F2).
  ///   - upstream: whether to give up the source. Has no effect if the promise is settled already (rule 4.1).
  /// - Complexity: O(*n*), where *n* is the number of promises that are cancelled and of their handlers.
  @Sendable
  public final func cancel(reason: any Error = CancellationError(), upstream: Bool = false) {
    Cancellation(of: self, reason: reason, upstream: upstream).run()
  }
}
