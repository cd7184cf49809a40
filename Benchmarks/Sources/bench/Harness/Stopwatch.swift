/// Times what is to be timed.
enum Stopwatch {
  /// Nanoseconds per unit of what the closure does.
  @inline(never)
  static func nanoseconds(per count: Int, of body: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    try body()
    return (clock.now - start) / .nanoseconds(count)
  }
}
