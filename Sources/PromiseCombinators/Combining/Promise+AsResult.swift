public import PromiseCore

extension Promise {
  /// Returns a promise for the outcome of this promise, whether that is a value, an error or a cancellation.
  ///
  /// ```swift
  /// let saved = Promise.traverse(documents, concurrency: 4) { document in save(document).asResult() }
  /// ```
  ///
  /// The result is fulfilled inside the call that settles this promise, and runs no code of the client.
  ///
  /// - Failure: the result is never rejected because this promise is. A rejection is its value, and counts as handled
  ///   (rule 7.1).
  /// - Cancelling this promise, or a promise above it, fulfils the result with the reason (rule 4.8). Cancelling the
  ///   result rejects it, and does not affect this promise. ``/PromiseCore/AnyPromise/cancel(reason:upstream:)`` with
  ///   `upstream: true` gives this promise up.
  /// - Progress: the progress of this promise. The result shows 1 when this promise is settled (rule 5.4).
  ///
  /// ``allSettled(_:fileID:line:)`` does the same for a list of promises.
  ///
  /// - Complexity: O(1).
  public func asResult(
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Result<Value, any Error>> {
    let site = CreationSite(fileID: fileID, line: line)
    return .allSettled(of: [self], atLeast: 0, by: .asResult, at: site) { Promise.settledOutcome(of: self) }
  }
}
