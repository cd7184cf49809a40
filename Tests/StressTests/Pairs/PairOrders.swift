/// Counts how often each side of a pair came first.
///
/// Each side draws a ticket before and after its operation. If an operation had ended before the other began, it came
/// first. If both were under way at the same time, their witnesses tell the order where they can. The operation that
/// settled the promise came before an operation that found it settled, and after an operation that found it pending.
/// Otherwise, the operation that began first counts as the first.
final class PairOrders: CustomStringConvertible {
  private(set) var first = 0
  private(set) var second = 0
  /// The number of rounds in which both operations were seen to be under way at the same time.
  private(set) var together = 0

  /// Whether each order was seen.
  var areComplete: Bool { first > 0 && second > 0 }

  var description: String { "\(first) and \(second) times first, \(together) times at the same time" }

  /// Adds a round. Returns whether the first operation came first.
  func add(_ one: SideOfRound, _ other: SideOfRound, isOfOne: Bool) throws -> Bool {
    let seen: Bool? =
      switch (one.seen, other.seen) {
      case (.settled, .after), (.before, .settled): true
      case (.after, .settled), (.settled, .before): false
      default: nil
      }
    let isApart = one.end < other.start || other.end < one.start
    let began = one.start < other.start
    if isOfOne {
      let saw = "\(one.seen) and \(other.seen)"
      try Violation.unless(one.seen != .settled || other.seen != .settled, saw)
      try Violation.unless(!isApart || (seen ?? began) == began, "one after the other, but \(saw)")
    }
    let isFirst = isApart ? began : seen ?? began
    if isFirst { first += 1 } else { second += 1 }
    if !isApart { together += 1 }
    return isFirst
  }
}
