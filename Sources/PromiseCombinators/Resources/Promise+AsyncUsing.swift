public import PromiseCore

extension Promise {
  /// Acquires a resource, calls the async closure with it, and releases the resource after the closure has returned.
  ///
  /// ```swift
  /// let rows = Promise.asyncUsing(pool.openConnection, release: pool.closeConnection) { connection in
  ///   try await connection.rows("select * from towns")
  /// }
  /// ```
  ///
  /// Differs from ``using(_:release:on:fileID:line:_:)-(_,(Acquired)->AnyPromise,_,_,_,_)`` in that the closures need
  /// no context. They run in Tasks that inherit the priority and the task-local values of the caller. A closure that is
  /// marked with `@MainActor` runs on the main actor.
  ///
  /// - Failure: as with `using`.
  /// - Cancelling the result, with or without `upstream: true`, settles it at once. It cancels the Task of the closure
  ///   that uses the resource, and the resource is released when that closure has returned. The closures that acquire
  ///   and release the resource run in Tasks that are never cancelled (rule 2.10).
  /// - Progress: none until the end.
  ///
  /// - Parameters:
  ///   - acquire: returns the resource.
  ///   - release: releases the resource.
  ///   - priority: the priority of the Tasks. If it is `nil`, they have the priority of the caller.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - body: uses the resource, and returns the value of the result.
  /// - Complexity: O(1), and three Tasks.
  public static func asyncUsing<Acquired: Sendable>(
    _ acquire: @escaping @Sendable () async throws -> Acquired,
    release: @escaping @Sendable (Acquired) async throws -> Void,
    priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Acquired) async throws -> Value
  ) -> Promise {
    asyncUsing(
      acquire, release: { resource, _ in try await release(resource) }, priority: priority, fileID: fileID, line: line,
      body)
  }

  /// Uses a resource as the `asyncUsing` whose release gets only the resource does, and tells the release how the use
  /// ended. So the release can commit or roll back.
  ///
  /// The outcome is the value that the closure returned or the error that it threw, even if the result was cancelled
  /// while the closure ran. If the result was cancelled before the closure was called, the outcome is the reason.
  ///
  /// The release gets an error without handling it (rule 7.1), because the result passes it on. Everything else is as
  /// for the other `asyncUsing`.
  ///
  /// - Parameters:
  ///   - acquire: returns the resource.
  ///   - release: releases the resource after a use with the given outcome.
  ///   - priority: the priority of the Tasks. If it is `nil`, they have the priority of the caller.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - body: uses the resource, and returns the value of the result.
  /// - Complexity: O(1), and three Tasks.
  public static func asyncUsing<Acquired: Sendable>(
    _ acquire: @escaping @Sendable () async throws -> Acquired,
    release: @escaping @Sendable (Acquired, _ outcome: Result<Value, any Error>) async throws -> Void,
    priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Acquired) async throws -> Value
  ) -> Promise {
    let tracing = CapturedContext()
    return .loopingTask(priority: priority, at: CreationSite(fileID: fileID, line: line)) { result in
      try await tracing.run(awaiting: {
        // The Task may be cancelled later than the promise (rule 4.5).
        try result.checkIsLooping()
        let acquisition = Promise<Acquired>.task(priority: priority, fileID: fileID, line: line) { try await acquire() }
        await acquisition.waitUntilSettled()
        let resource = try acquisition.settledResult.get()
        let outcome: Result<Value, any Error>
        if !result.isPending, let reason = result.settledError {
          outcome = .failure(reason)
        } else {
          do { outcome = .success(try await body(resource)) } catch { outcome = .failure(error) }
        }
        let cleanup = Promise<Void>.task(priority: priority, fileID: fileID, line: line) {
          try await release(resource, outcome)
        }
        await cleanup.waitUntilSettled()
        // Otherwise the error of the release is not looked at, and so it is reported (rule 7.1).
        if case .success = outcome, result.isPending { try cleanup.settledResult.get() }
        return try outcome.get()
      })
    }
  }

  /// The outcome of this settled promise. A rejection counts as handled.
  private var settledResult: Result<Value, any Error> {
    guard let result else { preconditionFailure("settled, without a result") }
    return result
  }
}

extension AnyPromise {
  /// Waits until this promise is settled, also in a cancelled Task.
  fileprivate func waitUntilSettled() async {
    await withCheckedContinuation { continuation in whenSettled { continuation.resume() } }
  }
}
