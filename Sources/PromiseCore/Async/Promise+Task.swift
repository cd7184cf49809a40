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
  ///   - priority: the priority of the Task. With `nil`, that of the caller.
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

  /// Starts the Task that settles this promise. A cancellation of this promise releases the closure or cancels the
  /// Task.
  private func startTask(_ closure: TaskBody, on actor: (any Actor)?, priority: TaskPriority?) {
    let task = closure.start(on: actor, priority: priority, settling: self)
    addCancelHook(stopping: closure) { _ in
      closure.drop()
      task.cancel()
    }
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
