import PromiseContexts
import PromiseCore

extension Deferred {
  /// Settles, unless the promise has been cancelled: then nothing is done for it, and nobody is told that it comes too late.
  func end(with body: () throws -> Value) {
    guard promise.isPending else { return }
    ownedPromise.settleIfPending(Result(catching: body))
  }

  /// Settles with an error, likewise.
  func end(with error: any Error) { end { throw error } }

  /// Reports how much of a whole there is. Nothing, if it is not known how much that is.
  func report(_ part: Int64, of whole: Int64) {
    if whole > 0 { report(progress: Double(part) / Double(whole)) }
  }
}
