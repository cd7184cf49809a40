extension Duration {
  /// When this duration will have passed, on a clock that counts nanoseconds: now, if it is zero or less; never before it has
  /// passed, so that fractions of a nanosecond count as a whole one; and if it is too long for the clock, ``latestDeadline``.
  package func deadline(from now: UInt64) -> UInt64 {
    guard self > .zero else { return now }
    // Compared as durations: a greater one may not even have a number of seconds.
    guard now < Self.latestDeadline, self < .nanoseconds(Int64(Self.latestDeadline - now)) else {
      return Self.latestDeadline
    }
    let (seconds, attoseconds) = components
    return now + UInt64(seconds) * 1_000_000_000 + UInt64((attoseconds + 999_999_999) / 1_000_000_000)
  }

  /// 146 years after the clock began to count. Not the greatest number: in the upper half of what Dispatch can store
  /// lie the times of another clock.
  package static var latestDeadline: UInt64 { 1 << 62 }
}
