public import PromiseContexts
public import PromiseCore

extension Promise {
  /// Returns a promise that is fulfilled with the value of this one after a delay.
  ///
  /// ```swift
  /// let shown = load(url).delay(.milliseconds(300))
  /// ```
  ///
  /// The delay begins when this promise is fulfilled. A rejection is passed on at once.
  ///
  /// - Cancelling the derived promise also cancels the timer, and releases the value (rule 4.9). `cancel()` does not
  ///   affect this promise, and `cancel(upstream: true)` gives it up.
  /// - Progress: the progress of this promise, because the delay has no weight (rule 5.4).
  ///
  /// - Parameters:
  ///   - delay: the delay. Zero or less means as soon as possible.
  ///   - timers: the clock. The default is the system's, or the clock of the `TestWorld` in which this is called.
  ///   - fileID: the file in which the promise is created, for errors and diagnostics.
  ///   - line: the line in that file.
  /// - Complexity: O(log *n*), where *n* is the number of timers that wait.
  public func delay(
    _ delay: Duration, timers: any TimerContext = .standard, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    let timers = timers.effective
    return then(on: InlineContext.shared, by: .delay, at: CreationSite(fileID: fileID, line: line)) { value in
      .after(delay, settle: .success(value), on: timers, fileID, line)
    }
  }
}
