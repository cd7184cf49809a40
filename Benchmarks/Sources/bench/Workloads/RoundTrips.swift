import Dispatch

/// Measures round trips between the main thread and a serial queue. The main thread starts a round trip and waits for
/// its last handler before it starts the next.
///
/// As in the benchmarks of Google, the producer blocks on a semaphore that the last closure signals. The rest of the
/// last handler, which settles and releases the derived promise, delays the next round trip and is therefore timed.
enum RoundTrips {
  /// Runs the round trips and returns their times.
  ///
  /// - Parameters:
  ///   - handlers: the number of handlers in a round trip. Each of them must add 1 to the tally.
  ///   - start: starts a round trip. Its last handler signals the semaphore.
  @inline(__always)
  static func measure(
    _ count: Int, handlers: Int, of what: String, start: (DispatchQueue, DispatchSemaphore) -> Void
  ) throws -> Timing {
    let queue = DispatchQueue(label: "bench.serial", qos: .userInitiated)
    let done = DispatchSemaphore(value: 0)
    return try checkingTally(count * handlers, of: what) {
      // The end of this round must not occupy the core of the next round.
      defer { queue.sync {} }
      var laps = Laps(capacity: count)
      for _ in 0..<count {
        start(queue, done)
        done.wait()
        laps.lap()
      }
      return laps.timing
    }
  }
}

/// Counts and returns the value. A handler in the middle of a chain calls this function.
@inline(__always)
func counted(_ value: Int) -> Int {
  unsafe tally &+= value
  return value
}

/// Counts the value and wakes the producer. The last handler of a chain calls this function.
@inline(__always)
func finish(_ value: Int, signalling done: DispatchSemaphore) {
  unsafe tally &+= value
  done.signal()
}
