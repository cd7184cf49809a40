extension Promise {
  /// Shows the progress to the closure, whenever it has grown (rules 5.1 to 5.5; reference rows J1 to J4).
  ///
  /// ```swift
  /// download.onProgress(on: queue) { print("\(Int(100 * $0)) %") }
  /// ```
  ///
  /// - It runs on `context`, never inside this call nor inside the one that reports.
  /// - If the progress is above 0 already, the closure is shown it once, also if the promise is settled.
  /// - Fulfilment shows 1: on a first-in-first-out context before any handler of the value runs. After a rejection nothing is
  ///   shown any more, except the last value if it has not been yet.
  /// - If the closure is slower than the reports, values between are left out, the last is not.
  ///
  /// It does not count as a consumer of the promise (rule 4.0), and not as looking at its outcome. The closure is released once
  /// the promise is settled and the last value was shown.
  ///
  /// - Parameters:
  ///   - context: where the closure runs. If it drops the job, that value is not shown.
  ///   - body: gets a fraction, above 0 and up to 1, each time higher than before.
  /// - Returns: this promise.
  /// - Complexity: O(*n*), where *n* is the number of pending promises that this one waits for, up to one that is observed.
  @discardableResult
  public func onProgress(
    on context: any ExecutionContext, _ body: @escaping @Sendable (Double) -> Void
  ) -> Promise {
    observeProgress(by: ProgressObserver(on: context, body))
    return self
  }
}
