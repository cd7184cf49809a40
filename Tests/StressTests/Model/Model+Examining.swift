// Handled rejections (rule 7.1).

extension Model {
  /// Hands a rejection from its source to a promise, together with the duty to handle it.
  mutating func handOn(from source: Int?, to promise: Int, isLookedAt: Bool) {
    guard let source, nodes[source].outcome?.failure != nil else { return }
    nodes[promise].hasArrivedLookedAt = isLookedAt || nodes[source].hasArrivedLookedAt
    nodes[source].isLookedAt = true
    passOn(from: source, to: promise)
  }

  /// Notes that a promise outside the ring of the source has the duty now, so that the ring reports nothing.
  mutating func passOn(from source: Int, to promise: Int) {
    if nodes[source].ring != nodes[promise].ring { nodes[source].isSeen = true }
  }

  /// Gives a cancelled promise the duty to handle the rejections that were about to pass to it.
  mutating func takeDuties(of promise: Int) {
    let source = nodes[promise].producer.flatMap { handlers[$0].source }
    for other in nodes[promise].follows + (nodes[promise].combination?.inputs ?? []) + (source.map { [$0] } ?? []) {
      takeDuty(of: other)
    }
  }

  mutating func takeDuty(of promise: Int) {
    guard nodes[promise].outcome?.failure != nil else { return }
    nodes[promise].isLookedAt = true
    nodes[promise].isSeen = true
  }

  /// Notes that a handler sees an outcome.
  mutating func noteSight(of handler: Handler, _ sight: Sight) {
    guard case .failure = sight, handler.kind != .always, let source = handler.source else { return }
    nodes[source].isLookedAt = true
    nodes[source].isSeen = true
  }

  /// Notes that a promise is about to close a ring. The promises of the ring have one report together.
  mutating func shareReport(amongRingOf promise: Int, adopting other: Int) {
    let ring = nodes.indices.filter { $0 == promise || reaches(other, $0) && reaches($0, promise) }
    let name = ring.compactMap { nodes[$0].ring }.first ?? promise
    for member in ring { nodes[member].ring = name }
  }

  /// Returns whether these promises may have reported their rejections when everything is released.
  func allows(unhandled reported: [Int]) -> Bool {
    let reported = Set(reported)
    let rings = Dictionary(grouping: nodes.indices.filter(hasErrorOfRing)) { nodes[$0].ring }
    let apart = Set(nodes.indices).subtracting(rings.values.joined())
    return reported.symmetricDifference(unhandled).intersection(apart).allSatisfy { nodes[$0].isReportOpen }
      && rings.values.allSatisfy { allows(reported.intersection($0), ofRing: $0) }
  }

  /// Returns whether these promises of a ring may have reported. The promise that is deallocated last reports.
  private func allows(_ reported: Set<Int>, ofRing ring: [Int]) -> Bool {
    if ring.contains(where: { nodes[$0].isReportOpen }) { return true }
    let unhandled = Set(ring).intersection(unhandled)
    guard reported.isSubset(of: unhandled) else { return false }
    let isSeen = ring.contains { nodes[$0].isSeen }
    return reported.count == (isSeen || unhandled.isEmpty ? 0 : 1)
  }

  private func hasErrorOfRing(_ promise: Int) -> Bool {
    guard nodes[promise].ring != nil, case .failure(.cycle, false)? = nodes[promise].outcome else { return false }
    return true
  }

  /// The promises with an unhandled rejection.
  var unhandled: [Int] {
    nodes.indices.filter { number in
      guard case .failure(_, false)? = nodes[number].outcome else { return false }
      return !nodes[number].isLookedAt && !nodes[number].hasArrivedLookedAt
    }
  }
}
