/// A workload with this library and with the library of another commit, measured in pairs of processes.
struct Comparison: Sendable {
  let workload: Workload
  let pairs: [Pair]

  struct Pair: Sendable {
    let base: Session
    let own: Session
  }

  /// The subject that is compared.
  private var subject: Subject.Name {
    workload.subjects.contains { $0.name == .promise } ? .promise : workload.reference
  }

  func base(_ value: (Spread) -> Double?) -> Double? {
    pairs.compactMap { $0.base.spread(of: subject).flatMap(value) }.medianIfAny
  }

  func own(_ value: (Spread) -> Double?) -> Double? {
    pairs.compactMap { $0.own.spread(of: subject).flatMap(value) }.medianIfAny
  }

  /// The time of this library divided by that of the other one, in each pair.
  var ratios: [Double] { ratios(of: subject) }

  /// The same for the baseline, whose code is the same in both. Its range is the work of chance.
  var baselineRatios: [Double] { workload.subjects.count > 1 ? ratios(of: workload.reference) : [] }

  private func ratios(of subject: Subject.Name) -> [Double] {
    pairs.compactMap { pair in
      guard let own = pair.own.spread(of: subject), let base = pair.base.spread(of: subject) else { return nil }
      return own.median / base.median
    }
  }

  /// The number of pairs in which this library is slower.
  var slowerCount: Int { ratios.count { $0 > 1 } }

  /// Whether this library is slower or faster. If neither is, a majority of pairs that is as large or larger would come
  /// about by chance in at least one of 20 measurements.
  var verdict: String {
    let fewer = min(slowerCount, ratios.count - slowerCount)
    guard Self.chance(ofAtMost: fewer, of: ratios.count) < 0.05 else { return "cannot tell" }
    return slowerCount > fewer ? "slower" : "faster"
  }

  /// Returns the probability that a fair coin shows one of its sides at most `few` times in `count` throws (the sign
  /// test with two sides).
  static func chance(ofAtMost few: Int, of count: Int) -> Double {
    var ways = 1.0
    var sum = 0.0
    for number in 0...few {
      sum += ways
      ways *= Double(count - number) / Double(number + 1)
    }
    var all = 1.0
    for _ in 0..<count { all *= 2 }
    return min(1, 2 * sum / all)
  }
}
