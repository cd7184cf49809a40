import PromiseCombinators

/// How one promise is made of several.
enum Combinator: Hashable, Sendable {
  case all(FailurePolicy)
  case allSettled(atLeast: Int)
  case any, race

  /// One of several inputs is enough.
  var isForFirst: Bool { self == .any || self == .race }
}

extension Combinator: CustomStringConvertible {
  var description: String {
    switch self {
    case .all(let policy): ".all(.\(policy))"
    case .allSettled(let count): ".allSettled(atLeast: \(count))"
    case .any: ".any"
    case .race: ".race"
    }
  }
}

extension Combinator {
  /// What several values make: another number for another order.
  static func digest(_ values: [Int]) -> Int { values.reduce(1) { ($0 &* 31 &+ $1) & 0xFFFF_FFFF } }
}
