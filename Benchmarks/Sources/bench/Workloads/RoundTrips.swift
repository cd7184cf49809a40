import Dispatch

/// Ping-pong between the main thread and a serial queue: start something, wait for its last handler, start the next.
///
/// Google's frame (reference inventory, section 4): the producer blocks on a semaphore that the last closure signals.
/// What is left of the last handler then (settling and releasing the derived promise) delays the next round trip, and
/// so counts.
enum RoundTrips {
  /// The times of the round trips, one by one.
  ///
  /// - Parameters:
  ///   - handlers: how many there are in a round trip; each must add 1 to the tally.
  ///   - start: starts one; its last handler signals the semaphore.
  @inline(__always)
  static func measure(
    _ count: Int, handlers: Int, of what: String, start: (DispatchQueue, DispatchSemaphore) -> Void
  ) throws -> Timing {
    let queue = DispatchQueue(label: "bench.serial", qos: .userInitiated)
    let done = DispatchSemaphore(value: 0)
    return try checkingTally(count * handlers, of: what) {
      // The next round must not find the tail of this one on its core.
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

/// What a handler in the middle of a chain does: it counts, and hands the value on.
@inline(__always)
func counted(_ value: Int) -> Int {
  unsafe tally &+= value
  return value
}

/// What the last handler does: it counts, and wakes the producer.
@inline(__always)
func finish(_ value: Int, signalling done: DispatchSemaphore) {
  unsafe tally &+= value
  done.signal()
}
