import PromiseContexts
import PromiseCore

/// How long an operation may wait for a place, and the clock that measures it.
struct WaitingLimit: Sendable {
  let duration: Duration
  let timers: any TimerContext

  /// Returns `nil` if there is no limit.
  init?(_ duration: Duration?, on timers: any TimerContext) {
    guard let duration else { return nil }
    self.duration = duration
    self.timers = timers.effective
  }

  /// Rejects the promise of a guest if it waits for longer than the limit.
  func apply(to admitted: Promise<Void>, at site: CreationSite) {
    guard admitted.isPending else { return }
    let timer = timers.schedule(after: duration, from: site) { [weak admitted] in
      admitted?.settleIfPending(.failure(PromiseError.timedOut(createdAt: site)))
    }
    admitted.whenSettled { timer.cancel() }
  }
}
