public import PromiseContexts
public import PromiseCore

extension Diagnostics {
  /// Calls a hook when promises have been pending for longer than a limit.
  ///
  /// ```swift
  /// Diagnostics.recordsPendingPromises = true
  /// let watch = Diagnostics.onPending(longerThan: .seconds(60)) { pending in log(pending.description) }
  /// ```
  ///
  /// The register is looked at every quarter of the limit, on the pool. The hook is called there if a promise has
  /// exceeded the limit since the last look, and gets all promises that exceed it. These are pending, or are settled
  /// and have not finished (rule 2.11). Only promises that are made while
  /// ``/PromiseCore/Diagnostics/recordsPendingPromises`` is on are known. If that is off when the register is looked
  /// at, and no promise exceeds the limit, a notice is printed to standard error, once in a process.
  ///
  /// - Parameters:
  ///   - limit: the greatest age. Zero or less counts as one millisecond.
  ///   - timers: the clock that decides when to look. The default is the system's, or that of the `TestWorld` in which
  ///     this is called. Ages are in real time, in a world too, so no promise exceeds the limit because the world's time
  ///     moves.
  ///   - hook: receives the promises.
  /// - Returns: the watch. It looks until it is cancelled or deallocated.
  /// - Complexity: each look is O(*n* log *n*), where *n* is the number of promises in the register.
  public static func onPending(
    longerThan limit: Duration, timers: any TimerContext = .standard,
    _ hook: @escaping @Sendable (PendingPromises) -> Void
  ) -> PendingWatch { PendingWatch(limit: max(limit, .milliseconds(1)), on: timers.effective, hook) }
}

/// Looks regularly for promises that are pending for too long.
/// ``/PromiseCore/Diagnostics/onPending(longerThan:timers:_:)`` creates it.
public final class PendingWatch: @unchecked Sendable {
  // `@unchecked Sendable`, because the variables are used under the lock only.
  private let lock = ShortLock()
  private var timer: (any ScheduledTimer)?
  private var isCancelled = false
  /// The time of the last look, on the clock of the register.
  private var lastLook: Duration?

  private let limit: Duration
  private let timers: any TimerContext
  private let notice: RegisterNotice
  private let hook: @Sendable (PendingPromises) -> Void

  package init(
    limit: Duration, on timers: any TimerContext, notice: RegisterNotice = .shared,
    _ hook: @escaping @Sendable (PendingPromises) -> Void
  ) {
    self.limit = limit
    self.notice = notice
    self.timers = timers
    self.hook = hook
    lookLater()
  }

  deinit { timer?.cancel() }

  /// Ends the watch. The hook is not called again, unless it is running or about to run on the pool.
  public func cancel() {
    let timer = lock.locked {
      isCancelled = true
      return self.timer.take()
    }
    timer?.cancel()
  }

  private func lookLater() {
    let new = timers.schedule(after: limit / 4) { [weak self] in
      // Not on the thread of the timer, because a look takes long if there are many promises.
      _ = Promise<Void>.run(on: .pool) { [weak self] in self?.look() }
    }
    // The former timer has fired. It is released outside the lock.
    let (unneeded, former) = lock.locked { () -> ((any ScheduledTimer)?, (any ScheduledTimer)?) in
      if isCancelled { return (new, nil) }
      defer { timer = new }
      return (nil, timer)
    }
    unneeded?.cancel()
    withExtendedLifetime(former) {}
  }

  private func look() {
    // The clock of the ages. That of the timers may stop while the system sleeps.
    let now = PendingRegister.now
    let (isCancelled, lastLook) = lock.locked {
      defer { self.lastLook = now }
      return (self.isCancelled, self.lastLook)
    }
    if isCancelled { return }
    let pending = Diagnostics.pending(olderThan: limit, at: now, newSince: lastLook)
    if let promises = pending.promises { hook(promises) }
    if pending.isEmpty, !Diagnostics.recordsPendingPromises { notice.post() }
    lookLater()
  }
}
