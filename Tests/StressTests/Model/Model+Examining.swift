// Who has looked at a rejection (rule 7.1).

extension Model {
  /// A promise is about to get the outcome of another, and with it the duty to look at it.
  mutating func handOn(from source: Int?, to promise: Int, isLookedAt: Bool) {
    guard let source, nodes[source].outcome?.failure != nil else { return }
    nodes[promise].hasArrivedLookedAt = isLookedAt || nodes[source].hasArrivedLookedAt
    nodes[source].isLookedAt = true
  }

  /// A handler is shown an outcome.
  mutating func noteSight(of handler: Handler, _ sight: Sight) {
    guard case .failure = sight, handler.kind != .always, let source = handler.source else { return }
    nodes[source].isLookedAt = true
  }

  /// Whether these promises may have reported their rejections when everything is released.
  func allows(unhandled reported: [Int]) -> Bool {
    Set(reported).symmetricDifference(unhandled).allSatisfy { nodes[$0].isReportOpen }
  }

  /// The promises whose rejection nobody has looked at.
  var unhandled: [Int] {
    nodes.indices.filter { number in
      guard case .failure(_, false)? = nodes[number].outcome else { return false }
      return !nodes[number].isLookedAt && !nodes[number].hasArrivedLookedAt
    }
  }
}
