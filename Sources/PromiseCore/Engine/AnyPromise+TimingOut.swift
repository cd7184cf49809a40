extension AnyPromise {
  /// The time is up for this derived promise: it is rejected, which is no cancellation, and leaves what it waits for as
  /// a cancelled one does (rule 4.9). `false`: it is settled already.
  @discardableResult
  package final func timeOut(because error: PromiseError) -> Bool {
    let settled = settledUpstream
    return stoodInFor(below: settled) {
      guard claim(rejecting: error, cancelled: false) else { return false }
      endProgress()
      stay(below: settled)
      // What it leaves is left alone.
      leaveUpstream(abandoning: false)
      publish()
      return true
    }
  }
}
