// Handled rejections (rule 7.1).

extension Model {
  /// Hands a rejection from its source to a promise, together with the duty to handle it.
  mutating func handOn(from source: Int?, to promise: Int, isLookedAt: Bool) {
    guard let source, nodes[source].outcome?.failure != nil else { return }
    nodes[promise].hasArrivedLookedAt = isLookedAt || nodes[source].hasArrivedLookedAt
    nodes[source].looks += 1
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
      takeDuty(of: other, by: promise)
    }
  }

  mutating func takeDuty(of promise: Int, by other: Int) {
    guard nodes[promise].outcome?.failure != nil else { return }
    nodes[promise].looks += 1
    passOn(from: promise, to: other)
  }

  /// Notes that a handler sees an outcome.
  mutating func noteSeenOutcome(of handler: Handler, _ seenOutcome: SeenOutcome) {
    guard case .failure = seenOutcome, !handler.kind.runsOnce, let source = handler.source else { return }
    noteLook(at: source)
  }

  mutating func noteLook(at promise: Int) {
    nodes[promise].looks += 1
    nodes[promise].isSeen = true
  }

  /// Notes that a cancellation has taken a handler back. An `onFailed` counts as having seen the rejection.
  mutating func noteTakenBack(_ handler: Handler) {
    guard handler.kind == .onFailed, let source = handler.source, nodes[source].outcome?.failure != nil else { return }
    noteLook(at: source)
  }

  /// Notes that a promise is about to close a ring. The promises of the ring have one report together.
  mutating func shareReport(amongRingOf promise: Int, adopting other: Int) {
    let ring = nodes.indices.filter {
      $0 == promise || isPending($0) && reaches(other, $0) && reaches($0, promise)
    }
    let name = ring.compactMap { nodes[$0].ring }.first ?? promise
    for member in ring { nodes[member].ring = name }
  }

  /// Returns whether these promises may have reported their rejections when everything is released.
  func allows(unhandled reported: [Int]) -> Bool {
    var left = reported
    for report in otherReports {
      let isShared = !report.ring.isEmpty && nodes.indices.contains(where: hasErrorOfAnyRing)
      guard let index = left.firstIndex(of: report.site) else {
        if isShared || report.isOpen { continue }
        return false
      }
      left.remove(at: index)
    }
    let reported = Set(left)
    guard reported.allSatisfy(nodes.indices.contains) else { return false }
    guard left.count == reported.count || left.contains(where: isReportOpen) else { return false }
    let rings = Dictionary(grouping: nodes.indices.filter(hasErrorOfRing)) { nodes[$0].ring }
    let apart = Set(nodes.indices).subtracting(rings.values.joined())
    return movedBack(reported).symmetricDifference(unhandled).intersection(apart).allSatisfy(isReportOpen)
      && rings.values.allSatisfy { allows(reported.intersection($0), ofRing: $0) }
  }

  /// Returns the reports as if the library had bypassed no promise (rule 3.3). If it has bypassed one, the adopted
  /// promise reports in its place, unless something else has looked at that.
  private func movedBack(_ reported: Set<Int>) -> Set<Int> {
    var moved = reported
    for bypassed in unhandled where !reported.contains(bypassed) {
      var adopted = nodes[bypassed].replacement
      while let other = adopted {
        if moved.remove(other) != nil || nodes[other].looks > 1 {
          moved.insert(bypassed)
          break
        }
        adopted = nodes[other].replacement
      }
    }
    return moved
  }

  /// Returns whether these promises of a ring may have reported. The promise that is deallocated last reports.
  private func allows(_ reported: Set<Int>, ofRing ring: [Int]) -> Bool {
    if ring.contains(where: isReportOpen) { return true }
    let unhandled = Set(ring).intersection(unhandled)
    guard reported.isSubset(of: unhandled) else { return false }
    let isSeen = ring.contains { nodes[$0].isSeen }
    return reported.count == (isSeen || unhandled.isEmpty ? 0 : 1)
  }

  private func isReportOpen(_ promise: Int) -> Bool {
    // Rings that are found through cleanups may share their report with others.
    nodes[promise].isReportOpen || hasErrorOfAnyRing(promise) && otherReports.contains { !$0.ring.isEmpty }
  }

  private func hasErrorOfRing(_ promise: Int) -> Bool {
    nodes[promise].ring != nil && hasErrorOfAnyRing(promise)
  }

  func hasErrorOfAnyRing(_ promise: Int) -> Bool {
    if case .failure(.cycle, false)? = nodes[promise].outcome { true } else { false }
  }

  /// The promises with an unhandled rejection.
  var unhandled: [Int] {
    nodes.indices.filter { number in
      guard case .failure(_, false)? = nodes[number].outcome else { return false }
      return nodes[number].looks == 0 && !nodes[number].hasArrivedLookedAt
    }
  }
}
