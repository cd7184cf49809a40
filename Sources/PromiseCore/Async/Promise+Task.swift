extension Promise {
  /// Runs a closure in a Task, and returns a promise for its result.
  ///
  /// ```swift
  /// let user = Promise.task { try await server.user(id) }
  /// ```
  ///
  /// The Task is unstructured, as from `Task { … }`. Task-local values and the priority of the caller reach it (rule
  /// 8.3). A closure that is written in the code of an actor or of the main actor runs there. The promise need not be
  /// retained.
  ///
  /// Cancelling the promise settles it at once and cancels the Task (rule 4.7). The result of a closure that was
  /// running is discarded. If the closure has not started, it never runs, and is released before `cancel` returns. If
  /// the closure throws a `CancellationError`, the promise is cancelled (rule 1.2). Everything that the closure
  /// captured is released before handlers of the promise run.
  ///
  /// - Parameters:
  ///   - priority: the priority of the Task. With `nil`, that of the caller. A Task that awaits the promise does not
  ///     raise it.
  ///   - fileID: the file in which the promise is made, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - body: makes the value.
  /// - Complexity: O(1): a promise, a link and a Task.
  public static func task(
    priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext @_implicitSelfCapture
    _ body: sending @escaping @isolated(any) () async throws -> Value
  ) -> Promise {
    let promise = Promise(pendingAt: Site(fileID, line))
    // Safe, because the closure was sent here, so no other code has it, and it runs once.
    nonisolated(unsafe) let body = body
    let closure = TaskBody { await Promise.outcome(of: unsafe body) }
    promise.startTask(closure, on: isolation(of: unsafe body), priority: priority)
    return promise
  }

  /// Does what `task` does. The closure gets the promise that this call returns.
  package static func loopingTask(
    priority: TaskPriority?, at site: CreationSite,
    _ body: @escaping @Sendable (_ loop: AnyPromise) async throws -> Value
  ) -> Promise {
    let promise = Promise(pendingAt: site)
    let closure = TaskBody { await Promise.outcome { try await body(promise) } }
    promise.startTask(closure, on: nil, priority: priority)
    return promise
  }

  /// Starts the Task that settles this promise. A cancellation of this promise releases the closure, and cancels the
  /// Task.
  private func startTask(_ closure: TaskBody, on actor: (any Actor)?, priority: TaskPriority?) {
    let task = closure.start(on: actor, priority: priority, settling: self)
    register(OwnerHook(action: .taskStopped(closure)), isOwnersCall: false, waitingFor: closure)
    // Apart, because it runs code of the client.
    addCancelHook { _ in task.cancel() }
  }

  // A function of its own, because Swift 6.3.1 crashes if `isolation` is read from a `sending` parameter.
  private static func isolation(of body: @escaping @isolated(any) () async throws -> Value) -> (any Actor)? {
    body.isolation
  }

  /// The outcome of the closure.
  nonisolated(nonsending) private static func outcome(
    of body: @isolated(any) () async throws -> Value
  ) async -> Outcome {
    do { return .value(payload(of: try await body())) } catch { return .thrown(error) }
  }
}

extension Promise {
  /// The value of the promise. Suspends until the promise is settled, and throws its error if it is rejected (rule
  /// 4.7).
  ///
  /// ```swift
  /// let user = try await promise.value
  /// ```
  ///
  /// - If the promise is settled, its outcome is returned at once, without suspending, even if the Task is cancelled.
  /// - If the Task is cancelled, before or while it waits, this throws `CancellationError` at once. The Task leaves the
  ///   promise, which stays as it is and retains nothing of the Task. So a shared or cached promise survives a reader
  ///   that gives up. To stop the work as well, use ``value(cancelsSource:)``.
  /// - If the promise is rejected, its error is thrown, which marks the rejection as handled (rule 7.1). A cancelled
  ///   promise throws its reason, which is a `CancellationError` unless another was given.
  ///
  /// Any number of Tasks may wait, on any actor. Each resumes on its own executor. The call that settles the promise
  /// runs none of their code.
  ///
  /// - Complexity: O(1): one link. O(1), amortised, for a wait that is cancelled.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) var value: Value {
    get async throws {
      if !acquiredState.isDone { try await settled(givingUp: false) }
      return try Promise<Value>.downcast(resolved).outcomeMarkingHandled.get()
    }
  }

  /// Returns the value of the promise, or throws its error. A cancelled Task can give the promise up (rule 4.7).
  ///
  /// ```swift
  /// let page = try await server.load(url).value(cancelsSource: true)
  /// ```
  ///
  /// Works like ``value``, with two differences:
  ///
  /// - If the Task is cancelled, before or while it waits, this gives the promise up and throws `CancellationError`. The
  ///   promise is then cancelled, with what it waits for in turn, unless it has another consumer (rule 4.4). Use it for
  ///   a promise that was made for this Task alone, or that other clients may have but need not keep going.
  /// - This waits until the promise has finished (rule 2.11), whatever has settled it. So when it returns or throws, no
  ///   Task and no cleanup of the promise still runs. If other consumers keep the promise going, it throws at once.
  ///
  /// When `task.cancel()` has returned, everything that this gives up is settled, even if the actor of the Task is busy.
  /// No handler and no hook runs inside that call, and nothing is released there. Handlers that do not run are released
  /// on the pool, which then schedules the others, and runs the hooks of owners (rule 4.5).
  ///
  /// - Parameter cancelsSource: whether a cancelled Task gives the promise up. With `false`, this is ``value``.
  /// - Complexity: O(1): one link. A wait that is cancelled costs what ``AnyPromise/cancel(reason:upstream:)`` does.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) func value(cancelsSource: Bool) async throws -> Value {
    if cancelsSource || !acquiredState.isDone { try await settled(givingUp: cancelsSource) }
    return try Promise<Value>.downcast(resolved).outcomeMarkingHandled.get()
  }
}

extension AnyPromise {
  /// Returns as soon as this promise is settled, or throws as soon as the Task is cancelled.
  ///
  /// - Parameter givesUp: whether a cancelled Task gives the promise up. Otherwise it leaves. If so, a promise that is
  ///   settled has finished when this returns or throws (rule 4.7).
  @usableFromInline
  nonisolated(nonsending) final func settled(givingUp givesUp: Bool) async throws(CancellationError) {
    do { try await settledOrGivenUp(givingUp: givesUp) } catch {
      if givesUp { await finished() }
      throw error
    }
    if givesUp { await finished() }
  }

  /// Does what `settled` does, but waits for no finish.
  private nonisolated(nonsending) final func settledOrGivenUp(
    givingUp givesUp: Bool
  ) async throws(CancellationError) {
    let promise = resolved
    if promise.acquiredState.isDone { return }
    // That of a test environment is determined here, because the canceller may be outside.
    let waiter = Waiter(for: promise, givingUp: givesUp, restOn: Diagnostics.testEnvironment?.hookContext)
    waiter.begin()
    await withTaskCancellationHandler {
      await unsafe withUnsafeContinuation { unsafe waiter.wait(resuming: $0) }
    } onCancel: {
      waiter.taskWasCancelled()
    }
    if waiter.wasCancelled { throw CancellationError() }
  }

  /// Returns when this promise has finished, if it is settled. Otherwise other consumers keep it going.
  private nonisolated(nonsending) final func finished() async {
    let promise = resolved
    guard promise.acquiredState.isDone, !promise.hasFinished else { return }
    await unsafe withUnsafeContinuation { continuation in
      promise.whenFinished { unsafe continuation.resume() }
    }
  }
}
