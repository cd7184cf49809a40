extension Promise {
  /// Calls the closure with the progress whenever it has grown (rules 5.1 to 5.5).
  ///
  /// ```swift
  /// download.onProgress(on: queue) { print("\(Int(100 * $0)) %") }
  /// ```
  ///
  /// - The closure runs on `context`, never inside this call, nor inside the call that reports.
  /// - If the progress is above 0 already, the closure is called once with the current value, even if the promise is
  ///   settled.
  /// - When the promise is fulfilled, the closure is called with 1. On a first-in-first-out context this happens before
  ///   any handler of the value runs. After a rejection, the closure is called at most once more, with the last value
  ///   if it has not received that yet.
  /// - If the closure is slower than the reports, values in between are skipped, but the last value is not.
  ///
  /// The observer is not a consumer of the promise (rule 4.0), and does not handle a rejection. The closure is released
  /// once the promise is settled and the closure has received the last value.
  ///
  /// - Parameters:
  ///   - context: where the closure runs. If it drops the job, that value is not shown.
  ///   - body: receives a fraction above 0 and up to 1, each time higher than before.
  /// - Returns: this promise.
  /// - Complexity: O(*n*), where *n* is the number of pending promises that this promise waits for, up to the nearest
  ///   observed promise.
  @discardableResult
  public func onProgress(
    on context: any ExecutionContext, _ body: @escaping @Sendable (Double) -> Void
  ) -> Promise {
    observeProgress(by: ProgressObserver(on: context, Diagnostics.isActive ? resolved.prepare(body) : body))
    return self
  }
}
