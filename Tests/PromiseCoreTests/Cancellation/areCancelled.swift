import PromiseCore
import TestSupport

/// Returns whether all promises are cancelled, by mark and by error, without a reason of their own.
func areCancelled(_ promises: [Promise<Int>]) -> Bool {
  promises.allSatisfy { $0.isCancelled && $0.status == .rejected(.cancellation) }
}
