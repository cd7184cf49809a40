public import PromiseContexts
public import PromiseCore

extension Promise {
  /// Returns a promise that settles as this one does, or is rejected with
  /// an error if this one does not settle within a limit.
  ///
  /// ```swift
  /// let page = load(url).timeout(.seconds(5))
  /// ```
  ///
  /// The error is ``/PromiseCore/PromiseError/timedOut(createdAt:)``. An error of your own tells this limit from those
  /// inside the work, which pass through as every rejection does:
  ///
  /// ```swift
  /// let report = build(pages).timeout(.seconds(60), error: ReportTooSlow())
  /// ```
  ///
  /// An expired limit rejects the derived promise. It does not cancel it, so handlers may recover. After that, this
  /// promise is given up: the work behind it stops unless another consumer still wants it (rule 4.6). With
  /// `cancelsSource: false` this promise continues. An error of this promise that comes after the limit counts as
  /// handled (rule 7.1).
  ///
  /// - Cancelling the derived promise with `cancel()` does not affect this promise, and `cancel(upstream: true)` gives
  ///   it up. The timer is cancelled as soon as the derived promise is settled (rule 4.9).
  /// - Progress: the progress of this promise, because the timeout has no weight (rule 5.4).
  ///
  /// ``Deferred/timeout(_:timers:fileID:line:)`` instead rejects the promise of an owner itself.
  ///
  /// - Parameters:
  ///   - limit: the limit, measured from this call. Zero or less means as soon as possible. A promise that is already
  ///     settled is in time.
  ///   - error: replaces the library's error. `CancellationError` sets the cancelled mark (rule 1.2).
  ///   - cancelsSource: whether to give up this promise when the limit has expired. The reason is the error of the
  ///     timeout.
  ///   - timers: the clock. The default is the system's, or the clock of the `TestWorld` in which this is called.
  ///   - fileID: the file in which the promise is created, for errors and diagnostics.
  ///   - line: the line in that file.
  /// - Complexity: O(log *n*), where *n* is the number of timers that wait.
  public func timeout(
    _ limit: Duration, error: (any Error)? = nil, cancelsSource: Bool = true, timers: any TimerContext = .standard,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    let site = CreationSite(fileID: fileID, line: line)
    let limited = passed(by: .timeout, at: site)
    // Not whether the derived promise is pending. It still is while another thread fires this promise, which is in time.
    guard isPending else { return limited }
    let timer = timers.schedule(after: limit, from: site) { [self] in
      // Otherwise this promise was in time, and the thread that fires it is about to settle the derived one.
      guard isPending else { return }
      let error = error ?? PromiseError.timedOut(createdAt: site)
      guard limited.timeOut(because: error, givingUp: cancelsSource) else { return }
      // The consumers have got the error of the timeout. A later error of this promise counts as handled.
      markHandledInAdvance()
    }
    limited.whenSettled { timer.cancel() }
    return limited
  }
}

extension Promise {
  /// Returns a promise for the value of this promise, or for `nil` if this promise does not settle within a limit.
  ///
  /// ```swift
  /// let headline = news.headline().timeoutOrNil(.milliseconds(300))
  /// ```
  ///
  /// An expired limit fulfils the result with `nil`. After that, this promise is given up: the work behind it
  /// stops unless another consumer still wants it (rule 4.6). With `cancelsSource: false` this promise continues. An
  /// error of this promise that comes after the limit counts as handled (rule 7.1).
  ///
  /// - Failure: a rejection in time passes through, even if it is that of another limit.
  /// - Cancelling the result with `cancel()` does not affect this promise, and `cancel(upstream: true)` gives it up. The
  ///   timer is cancelled as soon as the result is settled (rule 4.9).
  /// - The result is not below this promise (rule 4.0). So a cancellation of this promise is an ordinary rejection for
  ///   the links of the result, from which they may recover. That of a `timeout(_:)` reaches its links.
  /// - Progress: the progress of this promise, because the limit has no weight (rule 5.4).
  ///
  /// - Parameters:
  ///   - limit: the limit, measured from this call. Zero or less means as soon as possible. A promise that is already
  ///     settled is in time.
  ///   - cancelsSource: whether to give up this promise when the limit has expired. The reason is
  ///     `CancellationError`.
  ///   - timers: the clock. The default is the system's, or the clock of the `TestWorld` in which this is called.
  ///   - fileID: the file in which the promise is created, for errors and diagnostics.
  ///   - line: the line in that file.
  /// - Complexity: O(log *n*), where *n* is the number of timers that wait.
  public func timeoutOrNil(
    _ limit: Duration, cancelsSource: Bool = true, timers: any TimerContext = .standard,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Value?> {
    let site = CreationSite(fileID: fileID, line: line)
    // Retained by the combination until the result is settled. Then it is released, which cancels its timer.
    let inputs: [AnyPromise] =
      isPending ? [self, Promise<Void>.after(limit, settle: .success(()), on: timers, fileID, line)] : [self]
    let result = Promise<Value?>(pendingAt: site)
    Combination.make(result, from: inputs, by: .timeoutOrNil, needing: 1, measuring: .mean) { input, _ in
      guard input.offset(in: inputs) == 0 else {
        // Otherwise this promise was in time, and the thread that fires it is about to settle the result.
        guard inputs[0].isPending else { return .wait }
        return .settle(Promise<Value?>.outcome(nil), givingUpOthers: cancelsSource)
      }
      return .settle(input.isRejected ? input.outcomeOfInput : Promise<Value?>.outcome(Promise.settledValue(of: input)))
    }
    return result
  }
}

extension Deferred {
  /// Rejects the promise with ``/PromiseCore/PromiseError/timedOut(createdAt:)`` if it is not settled within a limit.
  ///
  /// ```swift
  /// let answer = Deferred<Page>()
  /// answer.timeout(.seconds(30))
  /// ```
  ///
  /// When the limit has expired, the hooks of ``/PromiseCore/Deferred/onCancel(_:)`` run with this error as the reason,
  /// and the promises that the owner follows are given up (rules 4.5 and 4.6).
  ///
  /// The timer does not retain this deferred. If the last reference to the deferred is released before the limit, the
  /// promise is rejected as usual (rule 6.2). The timer is cancelled as soon as the promise is settled (rule 4.9). A
  /// settlement by the owner after the limit changes nothing, and is reported (rule 1.3).
  ///
  /// - Parameters:
  ///   - limit: the limit, measured from this call. Zero or less means as soon as possible.
  ///   - timers: the clock. The default is the system's, or the clock of the `TestWorld` in which this is called.
  ///   - fileID: the file of this call, for errors and diagnostics.
  ///   - line: the line in that file.
  /// - Complexity: O(log *n*), where *n* is the number of timers that wait.
  public func timeout(
    _ limit: Duration, timers: any TimerContext = .standard, fileID: StaticString = #fileID, line: UInt = #line
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
