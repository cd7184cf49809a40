extension Promise {
  /// Runs the closure in a Task, and makes a promise for what it returns or throws.
  ///
  /// ```swift
  /// let user = Promise.task { try await server.user(id) }
  /// ```
  ///
  /// The Task is an unstructured one, as `Task { … }` makes it: task-local values and the priority of the caller reach it
  /// (rule 8.3), and a closure that is written in an actor's or the main actor's code runs there. Nobody need hold the promise.
  ///
  /// To cancel the promise cancels the Task, and settles the promise at once (rule 4.7); what the closure returns or throws
  /// then is discarded. If it has not started, it never runs, and is released before `cancel` returns. A closure that throws a
  /// `CancellationError` gives a cancelled promise (rule 1.2). What the closure captured is released before handlers of the
  /// promise run.
  ///
  /// - Parameters:
  ///   - priority: that of the Task; `nil`: the caller's.
  ///   - fileID: where the promise was made, for errors and diagnostics.
  ///   - line: the line there.
  ///   - body: makes the value.
  /// - Complexity: O(1): a promise, a link and a Task.
  public static func task(
    priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext @_implicitSelfCapture
    _ body: sending @escaping @isolated(any) () async throws -> Value
  ) -> Promise {
    let promise = Promise(pendingAt: Site(fileID, line))
    // Safe: sent here, so nobody else has it, and run once.
    nonisolated(unsafe) let body = body
    let closure = TaskBody { await promise.claim(with: unsafe body) }
    let task = closure.start(on: isolation(of: unsafe body), priority: priority, settling: promise)
    promise.addCancelHook { _ in
      closure.drop()
      task.cancel()
    }
    return promise
  }

  // A function of its own: Swift 6.3.1 crashes where `isolation` is asked of a `sending` parameter.
  private static func isolation(of body: @escaping @isolated(any) () async throws -> Value) -> (any Actor)? {
    body.isolation
  }

  /// Claims and writes what the closure returns or throws. The caller publishes.
  nonisolated(nonsending) private func claim(with body: @isolated(any) () async throws -> Value) async -> Bool {
    do { return claim(fulfilling: try await body()) } catch { return claim(rejecting: error) }
  }
}
