extension Duration {
  /// Returns the sum. If the sum overflows, returns the greatest or the least duration.
  package func addingSaturating(_ other: Duration) -> Duration {
    let (sum, isBeyond) = attoseconds.addingReportingOverflow(other.attoseconds)
    return Duration(attoseconds: isBeyond ? other.attoseconds.saturated : sum)
  }

  /// Returns the difference. If the difference overflows, returns the greatest or the least duration.
  package func subtractingSaturating(_ other: Duration) -> Duration {
    let (difference, isBeyond) = attoseconds.subtractingReportingOverflow(other.attoseconds)
    return Duration(attoseconds: isBeyond ? attoseconds.saturated : difference)
  }
}

extension Int128 {
  /// The greatest number if this one is positive, otherwise the least.
  fileprivate var saturated: Int128 { self >= 0 ? .max : .min }
}
