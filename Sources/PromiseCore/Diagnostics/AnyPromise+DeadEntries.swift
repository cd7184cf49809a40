extension AnyPromise {
  /// Releases the cancelled links in the list of this promise, and the promises that they derived. Without this call,
  /// they stay for a while (rule 4.9). Does nothing if the promise is settled.
  ///
  /// - Complexity: O(*n*), where *n* is the number of links in the list.
  package final func releaseDeadEntries() { resolved.prune() }
}
