// Who waits for whom, and how promises are settled (rules 1.1 to 3.4).

extension Model {
  func isPending(_ promise: Int) -> Bool { nodes[promise].outcome == nil }

  /// The promise that this one was derived from, if it still waits for it.
  func source(of promise: Int) -> Int? {
    guard isPending(promise), let producer = nodes[promise].producer, handlers[producer].state == .waiting else {
      return nil
    }
    return handlers[producer].source
  }

  /// Rule 4.0.
  func hasConsumers(_ promise: Int) -> Bool {
    handlers.contains { handler in
      guard handler.source == promise, handler.state == .waiting else { return false }
      return handler.target.map(isPending) ?? true
    } || nodes[promise].leaving > 0
      || nodes.contains { $0.outcome == nil && ($0.follows.contains(promise) || $0.waitingInputs.contains(promise)) }
  }

  /// Whether a promise waits for another, or is it (rule 3.2).
  func reaches(_ promise: Int, _ other: Int) -> Bool {
    if promise == other { return true }
    guard isPending(promise) else { return false }
    return source(of: promise).map { reaches($0, other) } ?? false
      || (nodes[promise].follows + nodes[promise].waitingInputs).contains { reaches($0, other) }
  }
}

// MARK: - Settling

extension Model {
  /// - Parameters:
  ///   - source: the outcome is that of this promise.
  ///   - isLookedAt: by a `catch`, just now.
  @discardableResult
  mutating func settle(
    _ promise: Int, _ outcome: Outcome, via source: Int? = nil, isLookedAt: Bool = false, on thread: Int
  ) -> Bool {
    guard isPending(promise) else { return false }
    nodes[promise].shown = outcome.failure == nil ? 1 : progress(of: promise)
    handOn(from: source, to: promise, isLookedAt: isLookedAt)
    nodes[promise].outcome = outcome
    nodes[promise].settler = thread
    let followed = nodes[promise].follows
    nodes[promise].follows = []
    // Between the two a cancel of what was above it, on another thread, finds what is below behind a settlement in progress (rule 4.3).
    let isAtOnce = todo.count == 1 || nodes[promise].isCancelledByCall
    if isAtOnce { leaveAbove(by: promise, following: followed, settledBy: source) }
    add(isAtOnce ? .publish(promise) : .depart(promise, followed, source), on: thread)
    return true
  }

  /// Rule 4.0: what is pending still, and what it followed in vain, is above it no longer.
  mutating func leaveAbove(by promise: Int, following followed: [Int], settledBy source: Int?) {
    let node = nodes[promise]
    nodes[promise].above = node.above.filter { above in
      if above == source { return true }
      guard above != promise, !isPending(above), node.isCutOff || !followed.contains(above) else { return false }
      // Settled, and its publication is to come in the same call: which of the two was settled before the other is open.
      if todo.count == 1, !nodes[above].isPublished, !nodes[above].isCancelledByCall { isOpen = true }
      return true
    }
  }

  /// The owner asks for it, or a handler has returned the other.
  mutating func adopt(_ promise: Int, _ other: Int, on thread: Int) {
    if reaches(other, promise) {
      // Who waited for it waits for the other then, and so perhaps for itself: the ring has another name.
      if canBePassedOver(promise) { isOpen = true }
      // Its owner may be quicker, and so may a cancel that comes down from the other: to have followed is not to have settled.
      noteRing(of: promise, adopting: other)
      nodes[promise].above.append(other)
      return add(.breakRing(promise), on: thread)
    }
    nodes[promise].above.append(other)
    // Before it is published a cancel that settles it may still find this promise below.
    if let outcome = nodes[other].outcome, nodes[other].isPublished || nodes[other].isRevealed {
      nodes[promise].follows.append(other)
      settle(promise, outcome, via: other, on: thread)
    } else {
      nodes[promise].follows.append(other)
    }
  }

  mutating func publish(_ promise: Int, on thread: Int) {
    nodes[promise].isPublished = true
    if nodes[promise].isCancelledByCall, let failure = nodes[promise].outcome?.failure {
      for hook in nodes[promise].hooks { add(hook, of: promise, failure, on: thread) }
    }
    nodes[promise].hooks = []
    for (number, handler) in handlers.enumerated() where handler.source == promise && handler.state == .waiting {
      add(.fire(number), on: thread)
    }
    for other in nodes.indices where isPending(other) && nodes[other].follows.contains(promise) {
      add(.pass(to: other, from: promise), on: thread)
    }
    for (number, node) in nodes.enumerated() where node.waitingInputs.contains(promise) {
      for input in node.waitingNumbers(of: promise) { add(.take(number, input: input), on: thread) }
    }
    add(.close(promise), on: thread)
  }
}
