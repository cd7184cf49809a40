/// Measures the time of a closure.
enum Stopwatch {
  /// Runs the closure and returns the nanoseconds for each unit. Adds its ``ProcessorCost``.
  @inline(never)
  static func nanoseconds(per count: Int, of body: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    let earlier = ProcessorCost.total
    let start = clock.now
    try body()
    let time = clock.now - start
    ProcessorCost.add(since: earlier)
    return time / .nanoseconds(count)
  }
}
