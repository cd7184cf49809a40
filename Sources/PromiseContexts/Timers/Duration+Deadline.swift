extension Duration {
  /// Returns the time at which this duration will have passed, on a clock that counts nanoseconds.
  ///
  /// It is `now` if the duration is zero or less, and ``latestDeadline`` if the duration is too long for the clock. A
  /// fraction of a nanosecond counts as a whole one, so that the deadline is never too early.
  package func deadline(from now: UInt64) -> UInt64 {
    guard self > .zero else { return now }
    // Durations are compared, because the number of seconds of a greater one may overflow.
    guard now < Self.latestDeadline, self < .nanoseconds(Int64(Self.latestDeadline - now)) else {
      return Self.latestDeadline
    }
    let (seconds, attoseconds) = components
    return now + UInt64(seconds) * 1_000_000_000 + UInt64((attoseconds + 999_999_999) / 1_000_000_000)
  }

  /// The latest deadline: 146 years after the clock began to count.
  ///
  /// It is not the greatest number, because Dispatch uses the upper half of the numbers for the times of another clock.
  package static var latestDeadline: UInt64 { 1 << 62 }
}
