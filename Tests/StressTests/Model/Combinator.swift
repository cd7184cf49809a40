import PromiseCombinators

/// The way in which a promise is made of several inputs.
enum Combinator: Hashable, Sendable {
  case all(RejectionPolicy)
  case allSettled(atLeast: Int)
  case any(cancelsLosers: Bool = false)
  case race(cancelsLosers: Bool = false)
  case some(Int, cancelsLosers: Bool = false)

  /// The number of inputs, out of the given number, without which there is no result.
  func countNeeded(of inputs: Int) -> Int {
    switch self {
    case .any, .race: 1
    case .some(let count, _): count
    case .all, .allSettled: inputs
    }
  }

  /// Whether the combinator gives up its remaining inputs when it has its result (rule 4.8).
  var givesUpOthers: Bool {
    switch self {
    case .all(.cancelRemaining), .any(true), .race(true), .some(_, true): true
    default: false
    }
  }
}

extension Combinator {
  /// Returns the number that stands for several values. Another order of the values has another number.
  static func digest(_ values: [Int]) -> Int { values.reduce(1) { ($0 &* 31 &+ $1) & 0xFFFF_FFFF } }
}
