extension AnyPromise {
  /// Cancels the promise and everything that was made from it: each becomes rejected with a `CancellationError`, marked
  /// ``isCancelled``.
  ///
  /// Legal on any promise, from any thread, at any time, any number of times (rule 4.1). A promise that is settled
  /// stays as it is; what is pending below it is cancelled all the same (rule 4.2; reference row F4).
  ///
  /// - **Below**: every promise derived from this one or following it, and theirs. When the call returns they are
  ///   settled, except where another thread is settling one at this moment: that thread carries the rest out before its
  ///   own call returns (rule 4.3).
  /// - **Above and beside**: nothing is touched. To cancel what a promise was made from, cancel its ``parent`` or ``root``
  ///   (reference row F3), or ``abandon()`` it.
  /// - **Adopted**: a promise that a cancelled one had adopted is cancelled with the same reason, unless somebody else still
  ///   waits for it (rule 4.4; reference row F6).
  /// - **Handlers**: those for a value that have not started never run, and are released before the call returns; `catch`,
  ///   `recover` and `rescue` run if their own promise is rejected; `always` runs once (rule 2.5). None runs inside the call.
  /// - **Owners**: hooks given to ``Deferred/onCancel(_:)`` run inside this call, after everything is settled (rule 4.5).
  ///
  /// - Complexity: O(*n*), where *n* is the number of promises that are cancelled and of their handlers.
  @Sendable public final func cancel() { cancel(reason: CancellationError()) }

  /// As ``cancel()``, with an error of your own, which everything that is cancelled is rejected with (rule 1.2; reference row
  /// F2).
  @Sendable public final func cancel(reason: any Error) { Cancellation(of: self, reason: reason).run() }

  /// Cancels the promise, and what it was waiting for, as far as nobody else wants that (rule 4.6).
  ///
  /// First as ``cancel()``. Then each promise that this one was derived from, or has adopted, is cancelled in the same
  /// way if it has no other consumer left: no other pending promise made from it, no waiter and no observer. So the
  /// work at the top of a chain is stopped when the last who wanted it gives up, and goes on as long as there is
  /// another.
  ///
  /// It stops at a promise that is ``Promise/shielded(fileID:line:)``, and at one that is settled.
  ///
  /// - Complexity: O(*n*), where *n* is the number of promises that are cancelled and of their handlers.
  @Sendable public final func abandon() { Cancellation(of: self, reason: CancellationError(), abandons: true).run() }
}
