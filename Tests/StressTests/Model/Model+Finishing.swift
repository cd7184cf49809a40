// The end of the work behind a settled promise (rule 2.11).

extension Model {
  /// Returns whether a promise is settled and nothing that it counts still runs.
  func hasFinished(_ promise: Int) -> Bool {
    // Most promises count nothing. The search below allocates.
    if isPending(promise) { return false }
    if !runsItself(promise), nodes[promise].counted.isEmpty, nodes[promise].awaited.isEmpty,
      brokenRule != .lateSettlementCounts
    {
      return true
    }
    var found = [promise]
    var visited: Set<Int> = []
    while let next = found.popLast() {
      if isPending(next) { return false }
      guard !isShield(next), visited.insert(next).inserted else { continue }
      if runsItself(next) { return false }
      found += counted(by: next)
    }
    return true
  }

  private func isShield(_ promise: Int) -> Bool {
    nodes[promise].producer.map { handlers[$0].kind == .shielded } ?? false && brokenRule != .shieldWaits
  }

  /// Returns whether the handler or a hook of a settled promise still runs, or may still run.
  private func runsItself(_ promise: Int) -> Bool {
    if nodes[promise].holds > 0 { return true }
    guard nodes[promise].countsHandler, brokenRule != .handlerIsNotCounted else { return false }
    guard let producer = nodes[promise].producer else { return false }
    return handlers[producer].state != .gone
  }

  /// Returns the promises that a settled promise counts.
  private func counted(by promise: Int) -> Set<Int> {
    let node = nodes[promise]
    var counted = brokenRule == .sourceIsNotCounted ? [] : node.counted
    if brokenRule == .lateSettlementCounts {
      counted.formUnion(waitedFor(by: promise).filter { !isPending($0) })
    }
    return counted.union(node.awaited)
  }

  /// Returns the promises for which a promise waits or has waited: its source, those that it has adopted or followed,
  /// and the inputs of a combinator.
  func waitedFor(by promise: Int) -> Set<Int> {
    let node = nodes[promise]
    let source = node.producer.flatMap { handlers[$0].source }
    return node.adopted.union(node.combination?.inputs ?? []).union([source].compactMap(\.self))
  }

  /// Notes what a promise counts that is about to be settled.
  mutating func noteCounted(by promise: Int, _ call: Call?) {
    let due = nodes[promise].hooks.filter { runs($0, afterCancel: call != nil) }
    nodes[promise].holds += due.count
    nodes[promise].counted = waitedFor(by: promise).filter { !isPending($0) }
    guard let call else { return }
    nodes[promise].call = call.number
    guard let producer = nodes[promise].producer else { return }
    let handler = handlers[producer]
    nodes[promise].countsHandler =
      switch handler.state {
      // The handler that is kept for an error is counted only if its source is settled, too.
      case .waiting:
        handler.kind.runsOnce || hearsOfErrorsWhenCancelled(handler) && handler.source.map { !isPending($0) } ?? false
      case .ready(.failure), .decided: hearsOfErrorsWhenCancelled(handler)
      case .ready(.value): handler.kind.runsOnce
      case .started: true
      case .ready(.start), .gone: false
      }
  }

  /// Lets the promises count a promise that has just been settled, if the same cancellation has settled them before.
  /// Which promises count is not fixed before everything is decided that the cancellation gives up.
  mutating func countNow(_ promise: Int) {
    guard let call = nodes[promise].call, isAlone else { return }
    for other in nodes.indices where other != promise && nodes[other].call == call && !isPending(other) {
      guard waitedFor(by: other).contains(promise) else { continue }
      nodes[other].counted.insert(promise)
      guard let producer = nodes[other].producer, handlers[producer].source == promise else { continue }
      if handlers[producer].state == .waiting, hearsOfErrorsWhenCancelled(handlers[producer]) {
        nodes[other].countsHandler = true
      }
    }
  }

  /// Makes a hook return. The promise that it returns is counted, unless that waits for the owner's (rule 3.2).
  mutating func end(_ hook: Hook, of promise: Int) {
    if let returned = hook.returned, nodes[returned].isHeld, brokenRule != .hookIsNotCounted {
      if brokenRule == .hooksWaitForThemselves || !reaches(returned, promise) {
        nodes[promise].awaited.insert(returned)
      } else {
        // If the ring goes through a promise that a handler has returned too late, the rules do not say whether the
        // handler or the hook closes it.
        if nodes.indices.contains(where: { nodes[$0].isCountedLate && reaches(returned, $0) && reaches($0, promise) }) {
          isOpen = true
        }
        otherReports.append(Report(site: Int(Step.line(ofHooksOf: promise))))
      }
    }
    nodes[promise].holds -= 1
  }

  /// Lets everything begin and resume that has waited for a finish. The step has no other effects left.
  mutating func endStep() {
    var isChanged = true
    while isChanged {
      isChanged = false
      for number in handlers.indices where handlers[number].kind == .alwaysThen && mayBeginCleanup(number) {
        guard case .decided(let seenOutcome) = handlers[number].state else { continue }
        enqueue(number, seenOutcome, on: 0)
        isChanged = true
      }
    }
    resumeWaiters()
  }

  /// Returns a promise that is pending or has not finished, or a handler that has not run, if there is one. Called when
  /// nothing is left to run.
  var unfinished: String? {
    if let promise = nodes.indices.first(where: { !hasFinished($0) }) { return "promise \(promise)" }
    return handlers.indices.first { handlers[$0].state != .gone }.map { "handler \($0)" }
  }

  /// Resumes the Tasks that need not wait any more (rule 4.7).
  mutating func resumeWaiters() {
    for (number, handler) in handlers.enumerated() where handler.kind.isWaiter {
      guard case .decided(let seenOutcome) = handler.state, let source = handler.source else { continue }
      let waits = handler.kind == .cancellingWaiter && brokenRule != .waiterDoesNotWait
      let isForOthers = isPending(source) && brokenRule != .waiterWaitsForOthers
      if waits, !isForOthers, !hasFinished(source) { continue }
      handlers[number].state = .gone
      events.append(.awaited(number, seenOutcome))
    }
  }
}
