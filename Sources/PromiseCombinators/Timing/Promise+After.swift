public import PromiseContexts
public import PromiseCore

extension Promise {
  /// A promise that is fulfilled when the time has passed (reference row B5).
  ///
  /// ```swift
  /// let placeholder = Promise.after(.milliseconds(200), fulfill: Image.placeholder)
  /// ```
  ///
  /// If it is cancelled before, or nobody is left who wants it, its timer is cancelled too, and the value let go (rule 4.9).
  ///
  /// - Parameters:
  ///   - delay: zero or less: as soon as possible, never inside this call.
  ///   - value: what it is fulfilled with.
  ///   - timers: what tells the time. In a test's world, by default, that world's clock.
  ///   - fileID: where the promise was made, for errors and diagnostics.
  ///   - line: the line there.
  /// - Complexity: as that of the timer, O(log n).
  public static func after(
    _ delay: Duration, fulfill value: Value, timers: any TimerContext = .standard,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    after(delay, settle: .success(value), on: timers, fileID, line)
  }

  /// A promise that is rejected when the time has passed (reference row B6). As ``after(_:fulfill:timers:fileID:line:)``.
  ///
  /// ```swift
  /// let hurry = Promise<Image>.after(.seconds(5), reject: TooSlow())
  /// ```
  public static func after(
    _ delay: Duration, reject error: any Error, timers: any TimerContext = .standard,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    after(delay, settle: .failure(error), on: timers, fileID, line)
  }

  static func after(
    _ delay: Duration, settle outcome: Result<Value, any Error>, on timers: any TimerContext,
    _ fileID: StaticString, _ line: UInt
  ) -> Promise {
    let owner = Deferred<Value>(cancelWhenUnobserved: true, fileID: fileID, line: line)
    // Before the timer is made, which may be cancelled for it.
    let promise = owner.promise
    let timer = timers.schedule(after: delay, from: CreationSite(fileID: fileID, line: line)) {
      // It may have been cancelled at this very moment, too late to prevent this.
      owner.ownedPromise.settleIfPending(outcome)
    }
    owner.onCancelStoppingTimer { _ in timer.cancel() }
    return promise
  }
}

extension Promise where Value == Void {
  /// A promise that is fulfilled when the time has passed. As ``after(_:fulfill:timers:fileID:line:)``.
  public static func after(
    _ delay: Duration, timers: any TimerContext = .standard, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    after(delay, settle: .success(()), on: timers, fileID, line)
  }
}
