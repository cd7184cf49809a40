// Whether the work behind a settled promise has finished, too (rule 2.11).

extension AnyPromise {
  /// Whether the promise is settled and nothing that it stands for still runs (rule 2.11).
  ///
  /// Once this is `true`, it stays so. ``whenFinished(fileID:line:)`` says what is counted. For a promise that no
  /// cancellation and no time limit has settled, this usually becomes `true` in the moment in which it is settled.
  ///
  /// - Complexity: O(1).
  public final var isFinished: Bool { hasFinished }

  /// Returns a promise that is fulfilled when this one is settled and nothing that it stands for still runs (rule
  /// 2.11).
  ///
  /// ```swift
  /// upload.cancel(upstream: true)
  /// upload.whenFinished().onFulfilled(on: context) { removeFile() }
  /// ```
  ///
  /// A cancellation or a time limit settles a promise at once, but the work behind it may need a while to stop. What is
  /// waited for is:
  ///
  /// - the handler or closure of this promise, if it is running, and the Task of an async one
  /// - its cleanups (rule 2.10), and the hooks that the cancellation or the limit runs (rule 4.5)
  /// - each promise for which it waited and that is settled: its source, what it adopted or followed, and the inputs of
  ///   a combinator.
  ///
  /// Work that goes on because other consumers want it is not waited for, nor is what is behind a shield.
  ///
  /// The returned promise is fulfilled whether this promise is fulfilled or rejected. It is rejected, with `broken`, only
  /// if what this promise waits for is lost. It is no consumer of this
  /// promise (rule 4.0), keeps no value, and does not handle a rejection (rule 7.1). Cancelling it stops nothing. If
  /// this promise has finished, it is fulfilled before the call returns.
  ///
  /// - Parameters:
  ///   - fileID: the file of this call, for diagnostics.
  ///   - line: the line in that file.
  /// - Complexity: O(1).
  public final func whenFinished(fileID: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
    if hasFinished { return .fulfilled((), fileID: fileID, line: line) }
    let deferred = Deferred<Void>(fileID: fileID, line: line)
    deferred.source.waitsFor(AwaitedFinish(of: resolved, nil))
    // If work is lost that never ends, the release of the deferred rejects the promise. Unnested, because its end may be
    // that of the next one in a chain (rule 6.4).
    let wait = whenFinished(settling: deferred.source) {
      UnnestedWork.settle { deferred.source.fulfillIfPending(()) }
    }
    deferred.source.detachWhenCancelled([wait])
    return deferred.promise
  }

  /// Detaches observers when this promise, if it is pending, is cancelled. So a promise that lasts for long keeps
  /// nothing of waits that were cancelled (rule 4.9).
  final func detachWhenCancelled(_ observers: [AttachedObserver]) {
    guard isPending, !observers.isEmpty else { return }
    let detach = OwnerHook(action: .cancelledWithin { _ in for observer in observers { observer.detach() } })
    register(detach, isOwnersCall: false)
  }

  /// Cancels the promise with `upstream: true`, and waits until nothing that it stands for still runs.
  ///
  /// ```swift
  /// try await server.cancelAndFinish()
  /// ```
  ///
  /// These are the calls of ``cancel(reason:upstream:)`` and ``whenFinished(fileID:line:)``. If the Task is cancelled
  /// while it waits, this throws `CancellationError` at once. The cancellation of the promise is not undone.
  ///
  /// - Parameters:
  ///   - reason: see ``cancel(reason:upstream:)``.
  ///   - fileID: the file of this call, for diagnostics.
  ///   - line: the line in that file.
  /// - Complexity: as that of ``cancel(reason:upstream:)``.
  public nonisolated(nonsending) final func cancelAndFinish(
    reason: any Error = CancellationError(), fileID: StaticString = #fileID, line: UInt = #line
  ) async throws {
    cancel(reason: reason, upstream: true)
    if hasFinished { return }
    let wait = whenFinished(fileID: fileID, line: line)
    // If the Task is cancelled, nothing of the wait stays at this promise (rule 4.9).
    do { try await wait.value } catch {
      wait.cancel()
      throw error
    }
  }
}
