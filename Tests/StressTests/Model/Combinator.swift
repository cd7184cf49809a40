import PromiseCombinators

/// How one promise is made of several.
enum Combinator: Hashable, Sendable {
  case all(FailurePolicy)
  case allSettled(atLeast: Int)
  case any(cancelsLosers: Bool = false)
  case race(cancelsLosers: Bool = false)

  /// One of several inputs is enough.
  var isForFirst: Bool {
    switch self {
    case .any, .race: true
    case .all, .allSettled: false
    }
  }

  /// When it has its result, it gives up the inputs that are left (rule 4.8).
  var givesUpOthers: Bool {
    switch self {
    case .all(.cancelRemaining), .any(true), .race(true): true
    default: false
    }
  }
}

extension Combinator: CustomStringConvertible {
  var description: String {
    switch self {
    case .all(let policy): ".all(.\(policy))"
    case .allSettled(let count): ".allSettled(atLeast: \(count))"
    case .any(let cancelsLosers): ".any(\(cancelsLosers ? "cancelsLosers: true" : ""))"
    case .race(let cancelsLosers): ".race(\(cancelsLosers ? "cancelsLosers: true" : ""))"
    }
  }
}

extension Combinator {
  /// What several values make: another number for another order.
  static func digest(_ values: [Int]) -> Int { values.reduce(1) { ($0 &* 31 &+ $1) & 0xFFFF_FFFF } }
}
