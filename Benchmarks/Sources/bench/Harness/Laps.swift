import Foundation

/// Times the trips of a round one by one, if a caller waits for each trip before it starts the next.
///
/// The end of a trip is the start of the next trip, so each trip costs one reading of the clock, which takes about 20
/// ns. All subjects of a workload read it.
struct Laps {
  private var trips: [UInt32]
  private let start: UInt64
  private var last: UInt64

  /// Starts the first trip.
  init(capacity: Int) {
    trips = []
    trips.reserveCapacity(capacity)
    start = Self.now
    last = start
  }

  /// Ends a trip and starts the next.
  mutating func lap() {
    let now = Self.now
    // A trip of more than four seconds counts as four seconds.
    trips.append(UInt32(clamping: now - last))
    last = now
  }

  var timing: Timing { Timing(nanosecondsPerUnit: Double(last - start) / Double(trips.count), trips: trips) }

  /// The nanoseconds of a monotonic clock.
  private static var now: UInt64 {
    #if canImport(Darwin)
      return clock_gettime_nsec_np(CLOCK_UPTIME_RAW)
    #else
      var time = timespec()
      _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
      return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    #endif
  }
}
