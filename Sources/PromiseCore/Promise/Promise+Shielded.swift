extension Promise {
  /// Returns a promise with the same outcome that clients may cancel without any effect on this promise (rule 4.10).
  ///
  /// Hand it out if clients must not be able to cancel the work. Cancelling it, also with `upstream: true`, cancels
  /// only itself and what was made from it. Its ``AnyPromise/parent`` is `nil`, because the work could be cancelled
  /// through that.
  ///
  /// ```swift
  /// func load() -> Promise<Data> { deferred.promise.shielded() }
  /// ```
  ///
  /// It settles as this promise does, without a hop, and with the cancelled mark if this promise is cancelled. Its
  /// progress is that of this promise.
  ///
  /// - Complexity: O(1).
  @_alwaysEmitIntoClient
  public func shielded(fileID: StaticString = #fileID, line: UInt = #line) -> Promise {
    .derived(
      from: self, at: Site(fileID, line), on: nil, handling: [.hidesSource, .shields, .made(by: .shielded)],
      body: nil)
  }
}
