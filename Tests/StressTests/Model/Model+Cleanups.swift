// Cleanups for which a promise waits (rule 2.10).

extension Model {
  /// Returns whether the cancellation that has settled the promise of a cleanup's handler has settled its source, too.
  func isCleanupOfSameCall(_ number: Int) -> Bool {
    let handler = handlers[number]
    guard handler.kind == .alwaysThen, let source = handler.source, let target = handler.target else { return false }
    return nodes[target].isCancelled && nodes[target].call == nodes[source].call
  }

  /// Returns whether everything has finished for which a cleanup must wait. This is `true` for other handlers.
  func mayBeginCleanup(_ number: Int) -> Bool {
    guard handlers[number].kind == .alwaysThen, let target = handlers[number].target else { return true }
    return brokenRule == .cleanupBeginsAtOnce || nodes[target].counted.allSatisfy(hasFinished)
  }

  /// Makes a promise wait for the cleanup that its handler has begun.
  mutating func cleanUp(
    _ number: Int, _ result: Step.Behaviour.Result, after seenOutcome: SeenOutcome, on thread: Int
  ) {
    guard let target = handlers[number].target else { return }
    let isAfterValue = if case .value = seenOutcome { true } else { false }
    switch result {
    case .gives: pass(to: target, after: .value(0), on: thread)
    case .throwsAgain:
      let error = if case .failure(let error) = seenOutcome { error } else { Outcome.Failure.test(-1) }
      fail(target, .failure(error, isCancelled: error == .cancellation), isAfterValue, on: thread)
    case .fails(let failure): fail(target, Outcome(throwing: failure), isAfterValue, on: thread)
    case .adopts(let cleanup) where !nodes[cleanup].isHeld:
      fail(target, .failure(.test(-1), isCancelled: false), isAfterValue, on: thread)
    case .adopts(let cleanup):
      nodes[cleanup].isCleanup = true
      if isPending(target) {
        wait(target, for: cleanup, on: thread)
      } else {
        awaitLate(target, cleanup, isAfterValue)
      }
    }
  }

  /// Ends a cleanup that has failed before it has returned a promise.
  private mutating func fail(_ target: Int, _ outcome: Outcome, _ isAfterValue: Bool, on thread: Int) {
    let isPending = isPending(target)
    if isPending { pass(to: target, after: outcome, on: thread) }
    if !outcome.isCancelled, !isAfterValue || !isPending { otherReports.append(Report(site: target)) }
  }

  private mutating func wait(_ target: Int, for cleanup: Int, on thread: Int) {
    if reaches(cleanup, target) {
      if mayBePassedOver(target) { isOpen = true }
      noteRing(of: target, adopting: cleanup)
      shareReport(amongRingOf: target, adopting: cleanup)
      // The promise that the library has between them may report the rejections of the cleanup and of the source.
      let source = nodes[target].producer.flatMap { handlers[$0].source }
      for promise in [target, cleanup] + [source].compactMap(\.self) { nodes[promise].isReportOpen = true }
      return add(.breakRing(target), on: thread)
    }
    nodes[target].cleanup = cleanup
    if brokenRule != .cleanupIsNotCounted { nodes[target].awaited.insert(cleanup) }
    if nodes[cleanup].outcome != nil, nodes[cleanup].isPublished || nodes[cleanup].isRevealed {
      endCleanup(of: target, on: thread)
    }
  }

  /// Makes a cancelled promise wait for a cleanup. If the cleanup waits for the promise, it has failed (rule 3.2).
  private mutating func awaitLate(_ target: Int, _ cleanup: Int, _ isAfterValue: Bool) {
    let isRing = reaches(cleanup, target)
    if isRing, isPending(cleanup) {
      let ring = nodes.indices.filter { isPending($0) && reaches(cleanup, $0) && reaches($0, target) }
      otherReports.append(Report(site: target, ring: Set(ring)))
    }
    if !isRing, brokenRule != .cleanupIsNotCounted { nodes[target].awaited.insert(cleanup) }
    // The error of a cleanup after a value is reported even so.
    guard isAfterValue, case .failure(_, let isCancelled)? = nodes[cleanup].outcome else { return }
    if !isCancelled, !nodes[cleanup].hasArrivedLookedAt {
      // The promises of a ring have one report, which may have been handled.
      otherReports.append(Report(site: target, isOpen: hasErrorOfAnyRing(cleanup)))
    }
    noteLook(at: cleanup)
  }

  /// Passes the outcome of the source on after a cleanup, unless the cleanup has failed.
  mutating func endCleanup(of target: Int, on thread: Int) {
    guard let cleanup = nodes[target].cleanup, let outcome = nodes[cleanup].outcome else { return }
    pass(to: target, after: outcome, of: cleanup, on: thread)
  }

  /// Settles a pending promise after its cleanup. The error of the cleanup replaces a value, and no error.
  ///
  /// - Parameter cleanup: The promise of the cleanup, if the handler has returned one.
  private mutating func pass(to target: Int, after outcome: Outcome, of cleanup: Int? = nil, on thread: Int) {
    guard let producer = nodes[target].producer, let source = handlers[producer].source,
      let passed = nodes[source].outcome
    else { return }
    let isReplaced = passed.failure == nil || brokenRule == .cleanupErrorReplacesErrors
    if outcome.failure != nil, isReplaced, brokenRule != .cleanupErrorIsLost {
      // The target may have been in the ring, whose one report may have been handled.
      if let cleanup, hasErrorOfAnyRing(cleanup) { nodes[target].isReportOpen = true }
      settle(target, outcome, via: cleanup, on: thread)
    } else {
      settle(target, passed, via: source, on: thread)
    }
  }
}
