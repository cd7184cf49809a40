/// Measures the time of a closure.
enum Stopwatch {
  /// Runs the closure and returns the nanoseconds for each unit.
  @inline(never)
  static func nanoseconds(per count: Int, of body: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    try body()
    return (clock.now - start) / .nanoseconds(count)
  }
}
