extension AnyPromise {
  /// Releases the links in the list of this promise that were cancelled, and their promises, which otherwise stay for a
  /// while (rule 4.9). Does nothing once the promise is settled.
  ///
  /// - Complexity: O(*n*), where *n* is the number of links in the list.
  package final func releaseDeadEntries() { resolved.prune() }
}
