public import PromiseContexts
public import PromiseCore

extension Promise {
  /// Returns a promise that is fulfilled with a value after a delay.
  ///
  /// ```swift
  /// let placeholder = Promise.after(.milliseconds(200), fulfill: Image.placeholder)
  /// ```
  ///
  /// If the promise is cancelled before that, or its last client is released, its timer is cancelled, and the value is
  /// released (rule 4.9).
  ///
  /// - Parameters:
  ///   - delay: the delay. Zero or less means as soon as possible, but never inside this call.
  ///   - value: the value of the promise.
  ///   - timers: the clock. The default is the system's, or the clock of the `TestWorld` in which this is called.
  ///   - fileID: the file in which the promise is created, for errors and diagnostics.
  ///   - line: the line in that file.
  /// - Complexity: O(log *n*), where *n* is the number of timers that wait.
  public static func after(
    _ delay: Duration, fulfill value: Value, timers: any TimerContext = .standard,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    after(delay, settle: .success(value), on: timers, fileID, line)
  }

  /// Returns a promise that is rejected with an error after a delay. Everything else is as for
  /// ``after(_:fulfill:timers:fileID:line:)``.
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
    let owner = Deferred<Value>(cancelsWithoutClients: true, fileID: fileID, line: line)
    // The owner observes its clients from here on, before the timer exists.
    let promise = owner.promise
    let timer = timers.schedule(after: delay, from: CreationSite(fileID: fileID, line: line)) {
      // The promise may have been cancelled at this moment, too late to cancel the timer.
      owner.ownedPromise.settleIfPending(outcome)
    }
    owner.onCancelStoppingTimer(timer) { _ in timer.cancel() }
    return promise
  }
}

extension Promise where Value == Void {
  /// Returns a promise that is fulfilled after a delay. Everything else is as for
  /// ``after(_:fulfill:timers:fileID:line:)``.
  public static func after(
    _ delay: Duration, timers: any TimerContext = .standard, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    after(delay, settle: .success(()), on: timers, fileID, line)
  }
}
