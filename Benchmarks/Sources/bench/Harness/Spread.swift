/// The statistics of one subject, over the rounds of a process or over several processes.
struct Spread: Sendable {
  let minimum: Double
  let median: Double
  let maximum: Double
  /// The 99th percentile of single trips, or `nil` if trips were not timed one by one.
  let p99: Double?
  /// The processor cost of a unit, or `nil` if trips were timed one by one.
  let cost: ProcessorCost?

  /// Returns the spread over processes. Its median is the median of their medians.
  static func over(_ spreads: [Spread]) -> Spread {
    let costs = spreads.compactMap(\.cost)
    return Spread(
      minimum: spreads.map(\.minimum).min() ?? .nan, median: spreads.map(\.median).median,
      maximum: spreads.map(\.maximum).max() ?? .nan,
      p99: spreads.compactMap(\.p99).medianIfAny,
      cost: costs.isEmpty
        ? nil
        : ProcessorCost(
          userNanoseconds: costs.map(\.userNanoseconds).median,
          systemNanoseconds: costs.map(\.systemNanoseconds).median,
          voluntarySwitches: costs.map(\.voluntarySwitches).median))
  }
}

extension [Double] {
  /// The median, or `nil` if there are no numbers.
  var medianIfAny: Double? { isEmpty ? nil : median }
}
