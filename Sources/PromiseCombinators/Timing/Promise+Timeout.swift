public import PromiseContexts
public import PromiseCore

extension Promise {
  /// Derives a promise that settles as this one does, unless that takes longer than a limit: then it is rejected with
  /// ``/PromiseCore/PromiseError/timedOut(createdAt:)`` (reference row D16).
  ///
  /// ```swift
  /// let page = load(url).timeout(.seconds(5))
  /// ```
  ///
  /// That the time is up is a rejection, no cancellation, and what is attached to the derived promise may recover. After that this promise
  /// is given up: the work behind it stops, unless somebody else still wants it (rule 4.6). With `cancelsSource: false` it is left, and goes
  /// on: google/promises' rule. (RXPromise's `setTimeout:` rejects the promise itself, as
  /// ``Deferred/timeout(after:timers:fileID:line:)`` does for its owner.) Nobody need look at an error of this promise that comes too
  /// late (rule 7.1).
  ///
  /// To cancel the derived promise does to this one what it does with any link: `cancel()` leaves it, `cancel(upstream: true)` gives
  /// it up. The timer is cancelled as soon as the derived promise is settled (rule 4.9), which weighs nothing: its progress is this
  /// one's (rule 5.4).
  ///
  /// - Parameters:
  ///   - limit: from this call on. Zero or less: as soon as possible; a promise that is settled already is in time.
  ///   - cancelsSource: whether this promise is given up when the time is up, with the same error as the reason.
  ///   - timers: what tells the time. In a test's world, by default, that world's clock.
  ///   - fileID: where the link was made, for errors and diagnostics.
  ///   - line: the line there.
  /// - Complexity: O(1), and the timer's O(log n).
  public func timeout(
    _ limit: Duration, cancelsSource: Bool = true, timers: any TimerContext = .standard,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    let site = CreationSite(fileID: fileID, line: line)
    let limited = passed(at: site)
    guard limited.isPending else { return limited }
    let timer = timers.schedule(after: limit, from: site) { [self] in
      let error = PromiseError.timedOut(createdAt: site)
      guard limited.timeOut(because: error, givingUp: cancelsSource) else { return }
      // Who has heard of the timeout need not hear what came too late.
      markHandledInAdvance()
    }
    limited.whenSettled { timer.cancel() }
    return limited
  }
}

extension Deferred {
  /// Rejects the promise with ``/PromiseCore/PromiseError/timedOut(createdAt:)`` if it is not settled within a limit (reference row D16).
  ///
  /// ```swift
  /// let answer = Deferred<Page>()
  /// answer.timeout(after: .seconds(30))
  /// ```
  ///
  /// When the time is up, the hooks of ``/PromiseCore/Deferred/onCancel(_:)`` run, with this error as the reason, and what the promise follows is given up
  /// (rules 4.5 and 4.6).
  ///
  /// The timer does not keep this deferred: if that goes, the promise is rejected for it (rule 6.2). It is cancelled as
  /// soon as the promise is settled (rule 4.9). What the owner does too late is refused, and reported (rule 1.3).
  ///
  /// - Parameters:
  ///   - limit: from this call on. Zero or less: as soon as possible.
  ///   - timers: what tells the time. In a test's world, by default, that world's clock.
  ///   - fileID: where this is called, for errors and diagnostics.
  ///   - line: the line there.
  /// - Complexity: that of the timer, O(log n).
  public func timeout(
    after limit: Duration, timers: any TimerContext = .standard, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    let site = CreationSite(fileID: fileID, line: line)
    let promise = ownedPromise
    guard promise.isPending else { return }
    let timer = timers.schedule(after: limit, from: site) { [weak promise] in
      promise?.timeOutAsOwner(because: .timedOut(createdAt: site))
    }
    promise.whenSettled { timer.cancel() }
  }
}
