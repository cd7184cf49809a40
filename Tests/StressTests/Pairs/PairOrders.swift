/// How often each side of a pair came first.
///
/// It is told by tickets, which each side draws before and after its operation: one that had ended before the other began was
/// first. Of two that were under way at the same time it is told by what they saw, where that tells (who settled the promise came
/// before who found it settled, and after who found it pending), else by who began.
final class PairOrders: CustomStringConvertible {
  private(set) var first = 0
  private(set) var second = 0
  /// Rounds in which both were seen to be under way at the same time.
  private(set) var together = 0

  /// Each order was seen.
  var areComplete: Bool { first > 0 && second > 0 }

  var description: String { "\(first) and \(second) times first, \(together) times at the same time" }

  /// Returns whether the first came first.
  func add(_ one: Stint, _ other: Stint, isOfOne: Bool) throws -> Bool {
    let seen: Bool? =
      switch (one.witness, other.witness) {
      case (.settled, .after), (.before, .settled): true
      case (.after, .settled), (.settled, .before): false
      default: nil
      }
    let isApart = one.end < other.start || other.end < one.start
    let began = one.start < other.start
    if isOfOne {
      let saw = "\(one.witness) and \(other.witness)"
      try Violation.unless(one.witness != .settled || other.witness != .settled, saw)
      try Violation.unless(!isApart || (seen ?? began) == began, "one after the other, but \(saw)")
    }
    let isFirst = isApart ? began : seen ?? began
    if isFirst { first += 1 } else { second += 1 }
    if !isApart { together += 1 }
    return isFirst
  }
}
