extension AnyPromise {
  /// The time is up for this derived promise: it is rejected, which is no cancellation, and leaves what it waits for as
  /// a cancelled one does (rule 4.9). `false`: it is settled already.
  @discardableResult
  package final func timeOut(because error: PromiseError) -> Bool {
    // What it leaves is left alone.
    rejectFromBeside(with: error) { leaveUpstream(abandoning: false) }
  }
}
