extension AnyPromise {
  /// The time is up for this derived promise: it is rejected, which is no cancellation, and leaves what it waits for as
  /// a cancelled one does (rule 4.9). `false`: it is settled already.
  @discardableResult
  package final func timeOut(because error: PromiseError) -> Bool {
    guard claim(rejecting: error, cancelled: false) else { return false }
    endProgress()
    // What it leaves is left alone.
    leaveUpstream(abandoning: false)
    publish()
    return true
  }

  /// Calls a body of the library's own as soon as this promise is settled, inside the call that settles it. To be told is no
  /// reason to live, and no look (rules 4.0 and 7.1).
  package final func whenSettled(_ body: @escaping @Sendable () -> Void) {
    observe(on: nil, handling: [.value, .error, .bystander]) { _, _ in
      body()
      return .nothing
    }
  }
}
