import PromiseCore

/// Whether all were cancelled as a whole, by mark and error, and without a reason of their own.
func areCancelled(_ promises: [Promise<Int>]) -> Bool {
  promises.allSatisfy { $0.isCancelled && $0.seen == .rejected(.cancellation) }
}
