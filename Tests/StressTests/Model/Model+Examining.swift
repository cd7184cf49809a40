// Who has looked at a rejection (rule 7.1).

extension Model {
  /// A promise is about to get the outcome of another, and with it the duty to look at it.
  mutating func handOn(from source: Int?, to promise: Int, isLookedAt: Bool) {
    guard let source, nodes[source].outcome?.failure != nil else { return }
    nodes[promise].hasArrivedLookedAt = isLookedAt || nodes[source].hasArrivedLookedAt
    nodes[source].isLookedAt = true
  }

  /// A promise is cancelled, and has taken the duty to look at the rejections that were about to be passed to it.
  mutating func takeDuties(of promise: Int) {
    let source = nodes[promise].producer.flatMap { handlers[$0].source }
    for other in nodes[promise].follows + (nodes[promise].combination?.inputs ?? []) + (source.map { [$0] } ?? []) {
      takeDuty(of: other)
    }
  }

  mutating func takeDuty(of promise: Int) {
    if nodes[promise].outcome?.failure != nil { nodes[promise].isLookedAt = true }
  }

  /// A handler is shown an outcome.
  mutating func noteSight(of handler: Handler, _ sight: Sight) {
    guard case .failure = sight, handler.kind != .always, let source = handler.source else { return }
    nodes[source].isLookedAt = true
    nodes[source].isSeen = true
  }

  /// A promise is about to close a ring, whose promises report once together.
  mutating func shareReport(amongRingOf promise: Int, adopting other: Int) {
    let ring = nodes.indices.filter { $0 == promise || reaches(other, $0) && reaches($0, promise) }
    let name = ring.compactMap { nodes[$0].ring }.first ?? promise
    for member in ring { nodes[member].ring = name }
  }

  /// Whether these promises may have reported their rejections when everything is released.
  func allows(unhandled reported: [Int]) -> Bool {
    let reported = Set(reported)
    let rings = Dictionary(grouping: nodes.indices.filter(hasErrorOfRing)) { nodes[$0].ring }
    let apart = Set(nodes.indices).subtracting(rings.values.joined())
    return reported.symmetricDifference(unhandled).intersection(apart).allSatisfy { nodes[$0].isReportOpen }
      && rings.values.allSatisfy { allows(reported.intersection($0), ofRing: $0) }
  }

  /// Whether these promises of a ring may have reported. Which of them does is the one that is deallocated first.
  private func allows(_ reported: Set<Int>, ofRing ring: [Int]) -> Bool {
    if ring.contains(where: { nodes[$0].isReportOpen }) { return true }
    let unhandled = Set(ring).intersection(unhandled)
    guard reported.isSubset(of: unhandled) else { return false }
    // The first may have been deallocated before a handler was shown the error of another.
    let isSeen = ring.contains { nodes[$0].isSeen }
    return reported.count <= 1 && (isSeen || unhandled.isEmpty || reported.count == 1)
  }

  private func hasErrorOfRing(_ promise: Int) -> Bool {
    guard nodes[promise].ring != nil, case .failure(.cycle, false)? = nodes[promise].outcome else { return false }
    return true
  }

  /// The promises whose rejection nobody has looked at.
  var unhandled: [Int] {
    nodes.indices.filter { number in
      guard case .failure(_, false)? = nodes[number].outcome else { return false }
      return !nodes[number].isLookedAt && !nodes[number].hasArrivedLookedAt
    }
  }
}
