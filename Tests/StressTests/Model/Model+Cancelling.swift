// Rules 2.5 and 4.0 to 4.10.

extension Model {
  mutating func cancel(_ promise: Int, by call: Int, on thread: Int) {
    guard isPending(promise) else {
      let settler = nodes[promise].settler
      if nodes[promise].isClosed || settler == thread {
        // What is attached while the call runs may go with it (rule 4.3): looked for again, when all else below has been cancelled.
        let looksAgain = nodes[promise].isClosed && todo.count > 1 && !calls[call].visited.contains(promise)
        add(.descend(promise, call), on: thread)
        if looksAgain { add(.descendAgain(promise, call), on: thread) }
      } else {
        add(.request(promise, call), on: settler)
      }
      return
    }
    let wanted = nodes[promise].follows
    if calls[call].abandoned.contains(promise), let source = source(of: promise), !isShielded(promise) {
      nodes[source].leaving += 1
      add(.rise(source, call), on: thread)
    }
    if calls[call].abandoned.contains(promise) {
      for input in nodes[promise].waitingInputs {
        nodes[input].leaving += 1
        add(.rise(input, call), on: thread)
      }
    }
    nodes[promise].isCancelledByCall = true
    nodes[promise].isCutOff = true
    settle(promise, calls[call].reason, on: thread)
    if todo.count == 1 { nodes[promise].isRevealed = true } else { add(.reveal(promise), on: thread) }
    forgetInputs(of: promise)
    if let producer = nodes[promise].producer { add(.withdraw(producer), on: thread) }
    for other in wanted {
      nodes[other].leaving += 1
      add(.leave(other, call), on: thread)
    }
    add(.descend(promise, call), on: thread)
  }

  private func isShielded(_ promise: Int) -> Bool {
    nodes[promise].producer.map { handlers[$0].kind == .shielded } ?? false
  }

  /// Everything below, also through promises that are settled (rule 4.2).
  mutating func descend(from promise: Int, by call: Int, on thread: Int) {
    if calls[call].visited.insert(promise).inserted == false { return }
    let below = nodes.indices.filter { nodes[$0].above.contains(promise) }
    if nodes[promise].mayBePassedOver, hasPendingBelow(promise) { isOpen = true }
    for child in below { add(.cancel(child, call), on: thread) }
  }

  /// What is pending below by now.
  mutating func descendAgain(from promise: Int, by call: Int, on thread: Int) {
    let below = nodes.indices.filter { nodes[$0].above.contains(promise) && isPending($0) }
    for child in below { add(.cancel(child, call), on: thread) }
    if !below.isEmpty { add(.descendAgain(promise, call), on: thread) }
  }

  /// A promise that follows a settled one may be above it, too.
  private func hasPendingBelow(_ promise: Int) -> Bool {
    var found = [promise]
    var seen: Set<Int> = []
    while let above = found.popLast() {
      guard seen.insert(above).inserted else { continue }
      for (number, node) in nodes.enumerated() where node.above.contains(above) {
        if node.outcome == nil { return true }
        found.append(number)
      }
    }
    return false
  }

  /// The promise has a consumer less: was it the last (rules 4.4 and 4.6)?
  mutating func leave(_ promise: Int, by call: Int, on thread: Int) {
    nodes[promise].leaving -= 1
    guard isPending(promise), !hasConsumers(promise) else { return }
    if !calls[call].abandoned.isEmpty { calls[call].abandoned.insert(promise) }
    add(.cancel(promise, call), on: thread)
  }

  /// The promise of a handler was cancelled (rule 2.5).
  mutating func withdraw(_ number: Int, on thread: Int) {
    let handler = handlers[number]
    switch (handler.state, handler.kind) {
    case (.waiting, .always):
      guard let target = handler.target, let reason = nodes[target].outcome else { return }
      if let source = handler.source, !isPending(source) { return }
      handlers[number].isEnqueuedByCancel = true
      handlers[number].state = .decided(Sight(reason))
      add(.enqueue(number), on: thread)
    case (.ready, .always), (.decided, _), (.started, _), (.gone, _): return
    case (.waiting, _): if !handler.kind.handlesErrors { handlers[number].state = .gone }
    case (.ready(.failure), _): return
    case (.ready, _): handlers[number].state = .gone
    }
  }

  mutating func notePassedOver() {
    for (number, node) in nodes.enumerated() where node.outcome == nil && !node.follows.isEmpty {
      if canBePassedOver(number) { nodes[number].mayBePassedOver = true }
    }
  }

  /// Rule 4.2, in parentheses: nobody holds it, and it has no links of its own. It has, or is about to have, adopted another.
  func canBePassedOver(_ promise: Int) -> Bool {
    !nodes[promise].isHeld && !nodes[promise].hasOwner && !handlers.contains { $0.source == promise }
      && !nodes.contains { $0.combination?.inputs.contains(promise) ?? false }
  }
}
