/// Counts durations in buckets. A bucket is at most 1.6 % wide, which is less than the 2 % that the verdict tolerates.
struct Histogram {
  /// Each power of two has this many buckets.
  private static let width = 64
  /// 2^6 nanoseconds have a bucket for each nanosecond, and 2^45 nanoseconds are ten hours.
  private static let powers = 6..<45

  private var counts = [Int](repeating: 0, count: Histogram.width * (Histogram.powers.count + 1))
  private(set) var total = 0

  mutating func add(_ duration: Duration) {
    counts[Self.bucket(of: duration.nanoseconds)] += 1
    total += 1
  }

  /// Returns the duration that the given part of all durations does not exceed, or `nil` if there is none.
  func percentile(_ part: Double) -> Duration? {
    let rank = max(1, Int((part * Double(total)).rounded(.up)))
    var below = 0
    for (index, count) in counts.enumerated() where count > 0 {
      below += count
      if below >= rank { return .nanoseconds(Self.middle(of: index)) }
    }
    return nil
  }

  private static func bucket(of nanoseconds: Int) -> Int {
    let value = min(max(nanoseconds, 0), 1 << powers.upperBound - 1)
    if value < width { return value }
    let power = Int.bitWidth - 1 - value.leadingZeroBitCount
    return width * (power - powers.lowerBound + 1) + value >> (power - powers.lowerBound) & (width - 1)
  }

  private static func middle(of index: Int) -> Int {
    if index < width { return index }
    let shift = index / width - 1
    let lowest = (width + index % width) << shift
    return lowest + (1 << shift) / 2
  }
}

extension Duration {
  var nanoseconds: Int { Int(components.seconds) * 1_000_000_000 + Int(components.attoseconds / 1_000_000_000) }
  var seconds: Double { Double(nanoseconds) / 1e9 }
}
