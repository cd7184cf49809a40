public import PromiseContexts
public import PromiseCore

extension Promise {
  /// Derives a promise that has the value some time after this one (reference row D15).
  ///
  /// ```swift
  /// let shown = load(url).delay(.milliseconds(300))
  /// ```
  ///
  /// The time begins when this promise is fulfilled. A rejection passes at once. If the derived promise is cancelled,
  /// so is the timer, and the value is let go (rule 4.9); this promise is left by `cancel()`, and given up by `cancel(upstream: true)`.
  /// It weighs nothing: its progress is this one's (rule 5.4).
  ///
  /// - Parameters:
  ///   - delay: zero or less: as soon as possible.
  ///   - timers: what tells the time. In a test's world, by default, that world's clock.
  ///   - fileID: where the link was made, for errors and diagnostics.
  ///   - line: the line there.
  /// - Complexity: O(1), and the timer's O(log n).
  public func delay(
    _ delay: Duration, timers: any TimerContext = .standard, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    let timers = timers.here
    return then(on: InlineContext.shared, weight: 0, fileID: fileID, line: line) { value in
      .after(delay, settle: .success(value), on: timers, fileID, line)
    }
  }
}
