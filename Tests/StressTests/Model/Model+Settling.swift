// Settlements, and the relations between promises that wait for each other (rules 1.1 to 3.4).

extension Model {
  func isPending(_ promise: Int) -> Bool { nodes[promise].outcome == nil }

  /// Returns the promise that this promise was derived from, if both are pending.
  func source(of promise: Int) -> Int? {
    guard isPending(promise), let producer = nodes[promise].producer, handlers[producer].state == .waiting else {
      return nil
    }
    return handlers[producer].source
  }

  /// Returns all promises of which this promise is a consumer (rule 4.0).
  func waitsFor(_ promise: Int) -> [Int] {
    [source(of: promise)].compactMap { $0 } + nodes[promise].follows + nodes[promise].waitingInputs
  }

  /// Returns whether a promise waits for another, or is the same promise (rule 3.2). A settled promise that has not
  /// finished waits for the promises that it counts (rule 2.11).
  func reaches(_ promise: Int, _ other: Int) -> Bool {
    var found = [promise]
    var visited: Set<Int> = []
    while let next = found.popLast() {
      if next == other { return true }
      guard visited.insert(next).inserted, !hasFinished(next) else { continue }
      if isPending(next) {
        let waitedFor = waitedFor(by: next).filter { isPending($0) || brokenRule != .ringsThroughFinishesAreMissed }
        found += waitsFor(next) + waitedFor + nodes[next].awaited
      } else if brokenRule != .ringsThroughFinishesAreMissed {
        found += nodes[next].counted.union(nodes[next].awaited)
      }
    }
    return false
  }
}

// MARK: - Settling

extension Model {
  /// Settles a pending promise. Returns whether the promise was pending.
  ///
  /// - Parameters:
  ///   - source: The promise whose outcome this is.
  ///   - isLookedAt: Whether a `catch` has just handled the rejection.
  ///   - call: The cancellation that settles the promise.
  @discardableResult
  mutating func settle(
    _ promise: Int, _ outcome: Outcome, via source: Int? = nil, isLookedAt: Bool = false, by call: Call? = nil,
    on thread: Int
  ) -> Bool {
    guard isPending(promise) else { return false }
    let progress = progress(of: promise)
    // A promise that is cancelled, or rejected while it follows others, may forget progress that no client has seen
    // (rule 5.2).
    let dependsOnOthers = nodes[promise].combination != nil || !nodes[promise].follows.isEmpty
    let mayForget = call != nil || outcome.failure != nil && dependsOnOthers
    if mayForget, progress > nodes[promise].shown { isProgressOpen = true }
    nodes[promise].shown = outcome.failure == nil ? 1 : progress
    if let source, nodes[promise].adopted.contains(source), mayBePassedOver(promise) {
      nodes[promise].replacement = source
    }
    handOn(from: source, to: promise, isLookedAt: isLookedAt)
    if call != nil { takeDuties(of: promise) }
    var left = waitsFor(promise)
    let givenUp = call.map { promisesGivenUp(by: promise, $0) } ?? (brokenRule == .leavingIsGivingUp ? left : [])
    for other in givenUp { if let index = left.firstIndex(of: other) { left.remove(at: index) } }
    let follows = nodes[promise].follows
    // A thread that is settling a followed promise, and finds this promise cancelled, gives up the other followed
    // promises (rule 4.3).
    let passer = follows.map { nodes[$0] }.first { $0.outcome != nil && !$0.isClosed }?.settler
    noteCounted(by: promise, call)
    nodes[promise].outcome = outcome
    nodes[promise].isCancelled = call != nil
    nodes[promise].settler = thread
    nodes[promise].follows = []
    nodes[promise].cleanup = nil
    forgetInputs(of: promise)
    depart(promise, from: left, on: thread)
    add(.publish(promise), on: thread)
    for other in givenUp {
      let isLeft = call != nil && follows.contains(other)
      willGiveUp(
        other, by: promise, call?.reason ?? outcome, call: call?.number ?? newCall(),
        on: isLeft ? passer ?? thread : thread)
    }
    countNow(promise)
    return true
  }

  /// Makes a settled promise leave the promises for which it waited. Other threads may see the promise settled before
  /// it has left, and may see its source settled at the same time.
  private mutating func depart(_ promise: Int, from others: [Int], on thread: Int) {
    if isAlone { return leaveParent(promise) }
    for other in others { nodes[other].leaving += 1 }
    add(.depart(promise, from: others), on: thread)
  }

  /// Makes a promise leave its source if the promise was settled first (rule 4.0). If another thread settles the
  /// source, either may be first.
  mutating func leaveParent(_ promise: Int) {
    guard let parent = nodes[promise].parent else { return }
    if isPending(parent) || !nodes[parent].isPublished && nodes[parent].settler != nodes[promise].settler {
      nodes[promise].parent = nil
    }
  }

  /// Makes a promise adopt another, which its owner asked for or its handler returned.
  mutating func adopt(_ promise: Int, _ other: Int, on thread: Int) {
    if reaches(other, promise) {
      // If the library has bypassed the promise, its adopters wait for the other promise, and so perhaps for
      // themselves. Then the error names another promise.
      if mayBePassedOver(promise) { isOpen = true }
      // The owner or a cancellation may settle the promise before the ring does.
      noteRing(of: promise, adopting: other)
      shareReport(amongRingOf: promise, adopting: other)
      return add(.breakRing(promise), on: thread)
    }
    noteFollow(by: promise)
    nodes[promise].follows.append(other)
    nodes[promise].adopted.insert(other)
    if brokenRule == .adopterIsBelow, nodes[promise].parent == nil { nodes[promise].parent = other }
    if let outcome = nodes[other].outcome, nodes[other].isPublished || nodes[other].isRevealed {
      if isAlone {
        settle(promise, outcome, via: other, on: thread)
      } else {
        add(.pass(to: promise, from: other), on: thread)
      }
    }
  }

  mutating func publish(_ promise: Int, on thread: Int) {
    nodes[promise].isPublished = true
    if let outcome = nodes[promise].outcome {
      let due = nodes[promise].hooks.filter { runs($0, afterCancel: nodes[promise].isCancelled) }
      for hook in due.filter({ $0.cause == .cancel }) + due.filter({ $0.cause == .anyEnd }) {
        add(hook, of: promise, SeenOutcome(outcome), on: thread)
      }
    }
    nodes[promise].hooks = []
    for (number, handler) in handlers.enumerated() where handler.source == promise && handler.state == .waiting {
      add(.fire(number), on: thread)
    }
    for other in nodes.indices where isPending(other) && nodes[other].follows.contains(promise) {
      add(.pass(to: other, from: promise), on: thread)
    }
    for other in nodes.indices where nodes[other].cleanup == promise { add(.endCleanup(other), on: thread) }
    for (number, node) in nodes.enumerated() where node.waitingInputs.contains(promise) {
      for input in node.waitingNumbers(of: promise) { add(.take(number, input: input), on: thread) }
    }
    add(.close(promise), on: thread)
  }
}
