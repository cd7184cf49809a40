extension Promise {
  /// A promise with the same outcome, which may be cancelled without any effect on this one (rule 4.10).
  ///
  /// Hand it out where clients shall not be able to cancel the work: to cancel it, upstream too, detaches only
  /// itself and what was made from it. It shows no ``AnyPromise/parent``, for through that the work could be cancelled.
  ///
  /// ```swift
  /// func load() -> Promise<Data> { deferred.promise.shielded() }
  /// ```
  ///
  /// It settles as this promise does, without a hop, with the cancelled mark if that is cancelled; its progress is the same.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func shielded(fileID: StaticString = #fileID, line: UInt = #line) -> Promise {
    .derived(
      from: self, at: Site(fileID, line), on: nil, handling: [.hidesSource, .shields],
      body: ReactionBody(Promise<Value>.copy))
  }
}
