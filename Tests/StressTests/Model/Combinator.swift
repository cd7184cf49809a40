import PromiseCombinators

/// The way in which a promise is made of several inputs.
enum Combinator: Hashable, Sendable {
  case all(RejectionPolicy)
  case allSettled(atLeast: Int)
  case any(cancelsLosers: Bool = false)
  case race(cancelsLosers: Bool = false)

  /// Whether one of several inputs can be enough.
  var isForFirst: Bool {
    switch self {
    case .any, .race: true
    case .all, .allSettled: false
    }
  }

  /// Whether the combinator gives up its remaining inputs when it has its result (rule 4.8).
  var givesUpOthers: Bool {
    switch self {
    case .all(.cancelRemaining), .any(true), .race(true): true
    default: false
    }
  }
}

extension Combinator {
  /// Returns the number that stands for several values. Another order of the values has another number.
  static func digest(_ values: [Int]) -> Int { values.reduce(1) { ($0 &* 31 &+ $1) & 0xFFFF_FFFF } }
}
