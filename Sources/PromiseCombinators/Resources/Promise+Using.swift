public import PromiseContexts
public import PromiseCore

extension Promise {
  /// Acquires a resource, calls the closure with it, and releases the resource when the closure's promise has finished.
  ///
  /// ```swift
  /// let rows = Promise.using(pool.connect, release: pool.takeBack) { connection in
  ///   connection.query("select * from towns")
  /// }
  /// ```
  ///
  /// If the resource is acquired, it is released exactly once, whatever happens to the result (rule 2.10). The result
  /// settles when the release has ended.
  ///
  /// - Failure: the result is rejected with the error of the acquisition or of the closure, be it thrown or that of the
  ///   promise. Without such an error, it is rejected with the error of the release. Otherwise the error of the release
  ///   is reported as unhandled. If the acquisition fails, nothing is released.
  /// - Cancelling the result, with or without `upstream: true`, settles it at once, and gives up the closure's promise
  ///   with everything that it waits for (rule 4.6). The release begins when that promise has finished (rule 2.11), so a
  ///   Task, a cleanup or a use inside the closure ends before the release begins. The acquisition and the release are
  ///   not cancelled, because both could leave the resource in use. If the acquisition is pending, the resource is
  ///   released as soon as it is acquired. If it has not begun, it never does.
  /// - Progress: that of the closure's promise. While the resource is released, a progress that was not observed may be
  ///   less than before.
  ///
  /// Two things use the resource longer if the closure begins them: work that goes on after a plain `cancel()` of a link,
  /// and work that has a consumer beside the promise that the closure returns.
  ///
  /// - Parameters:
  ///   - acquire: begins the acquisition, and returns a promise for the resource.
  ///   - release: begins the release of the resource, and returns a promise for its end. The value does not matter.
  ///   - context: where the closures run. If the context drops the job of the release, the resource is not released.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - body: uses the resource.
  /// - Complexity: O(1).
  public static func using<Acquired: Sendable>(
    _ acquire: @escaping @Sendable () throws -> Promise<Acquired>,
    release: @escaping @Sendable (Acquired) throws -> AnyPromise,
    on context: any ExecutionContext = .pool, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Acquired) throws -> Promise
  ) -> Promise {
    let site = CreationSite(fileID: fileID, line: line)
    // This release needs no outcome, so none is kept for it.
    let closures = ResourceClosures<Acquired, Void>(context, acquire) { resource, _ in try release(resource) }
    return closures.use(on: context, at: site, outcome: { _ in }, body)
  }

  /// Uses a resource as the `using` whose release gets only the resource does, and tells the release how the use ended.
  /// So the release can commit or roll back.
  ///
  /// ```swift
  /// let number = Promise.using(
  ///   database.begin,
  ///   release: { transaction, outcome in
  ///     switch outcome {
  ///     case .success: transaction.commit()
  ///     case .failure: transaction.rollBack()
  ///     }
  ///   },
  ///   { transaction in transaction.insert("Bern") })
  /// ```
  ///
  /// The outcome is that of the closure's promise, or the error that the closure throws. If a cancellation or a limit
  /// gives the use up, it settles that promise with its reason. If another consumer keeps the promise going, the release
  /// waits for it and gets its outcome, although the result is cancelled. If the closure is never called, the outcome is
  /// the error of the result, such as the reason of a cancellation during the acquisition.
  ///
  /// The release gets an error without handling it (rule 7.1), because the result passes it on. Everything else is as
  /// for the other `using`.
  ///
  /// - Parameters:
  ///   - acquire: begins the acquisition, and returns a promise for the resource.
  ///   - release: begins the release of the resource after a use with the given outcome, and returns a promise for its
  ///     end. The value does not matter.
  ///   - context: where the closures run. If the context drops the job of the release, the resource is not released.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - body: uses the resource.
  /// - Complexity: O(1).
  public static func using<Acquired: Sendable>(
    _ acquire: @escaping @Sendable () throws -> Promise<Acquired>,
    release: @escaping @Sendable (Acquired, _ outcome: Result<Value, any Error>) throws -> AnyPromise,
    on context: any ExecutionContext = .pool, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Acquired) throws -> Promise
  ) -> Promise {
    let site = CreationSite(fileID: fileID, line: line)
    return ResourceClosures(context, acquire, release)
      .use(on: context, at: site, outcome: { Promise.settledOutcome(of: $0) }, body)
  }
}
