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
  public static func using<Resource: Sendable, Released: Sendable>(
    _ acquire: @escaping @Sendable () throws -> Promise<Resource>,
    release: @escaping @Sendable (Resource) throws -> Promise<Released>,
    on context: any ExecutionContext = .pool, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Resource) throws -> Promise
  ) -> Promise {
    let site = CreationSite(fileID: fileID, line: line)
    let use = ResourceUse(at: site)
    let useEnded = use.ended
    let acquisition = Promise<Resource>.startOwned(on: context, by: .using, at: site) {
      // If the result was cancelled before, nothing is acquired.
      guard useEnded.isPending else { throw CancellationError() }
      return try acquire()
    }
    // A consumer of the acquisition that no client can cancel. So a cancellation of the result leaves the acquisition
    // alone.
    let cleanup = acquisition.cleanup(by: .using, at: site) { resource in
      useEnded.thenOwned(on: context, by: .using, at: site) {
        try release(resource).asVoid(fileID: fileID, line: line)
      }
    }
    let result = acquisition.thenOwned(on: context, by: .using, at: site) { resource in
      let promise: Promise
      do { promise = try body(resource) } catch { promise = .rejected(error, fileID: fileID, line: line) }
      promise.whenFinished(settling: use.ended) { use.end() }
      return promise.owned(untilCleanup: cleanup, by: .using, at: site)
    }
    // The closure may never be called.
    result.finishWaits(for: cleanup)
    return result
  }
}

/// The use of a resource by the closure of `using`. It ends when the closure's promise has finished, or when the closure
/// is released without having been called.
private final class ResourceUse: Sendable {
  /// Fulfilled when the use has ended.
  let ended: Promise<Void>

  init(at site: CreationSite) { ended = Promise(pendingAt: site) }

  deinit { end() }

  func end() { ended.fulfillIfPending(()) }
}
