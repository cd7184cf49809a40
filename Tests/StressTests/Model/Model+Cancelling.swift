// Cancellation (rules 2.5 and 4.0 to 4.10).

extension Model {
  /// Cancels a promise by name or from above (rules 4.1 and 4.2).
  mutating func cancel(_ promise: Int, by call: Call, on thread: Int) {
    if isPending(promise) {
      settleCancelled(promise, by: call, on: thread)
      return add(.descend(promise, call), on: thread)
    }
    add(.descend(promise, call), on: thread)
    // Links that are attached while the call runs may be cancelled with the others.
    if !isAlone { add(.descendAgain(promise, call), on: thread) }
  }

  /// Settles a pending promise, and withdraws its handler. The call determines which promises it gives up.
  private mutating func settleCancelled(_ promise: Int, by call: Call, on thread: Int) {
    settle(promise, call.reason, by: call, on: thread)
    if isAlone { nodes[promise].isRevealed = true } else { add(.reveal(promise), on: thread) }
    if let producer = nodes[promise].producer { add(.withdraw(producer), on: thread) }
  }

  /// Cancels the promises below. Promises that are already settled only pass the call on.
  mutating func descend(from promise: Int, by call: Call, on thread: Int) {
    let below = nodes.indices.filter { nodes[$0].parent == promise }
    let adopters = below.filter { isPending($0) && (!nodes[$0].follows.isEmpty || nodes[$0].cleanup != nil) }
    if adopters.contains(where: mayBePassedOver) { isOpen = true }
    for child in below { add(.cancel(child, call.onTheWayDown), on: thread) }
    takeObserversBack(from: promise, on: thread)
  }

  /// Cancels the promises below that are pending now.
  mutating func descendAgain(from promise: Int, by call: Call, on thread: Int) {
    let below = nodes.indices.filter { nodes[$0].parent == promise && isPending($0) }
    for child in below { add(.cancel(child, call.onTheWayDown), on: thread) }
    let hasTaken = takeObserversBack(from: promise, on: thread)
    if !below.isEmpty || hasTaken { add(.descendAgain(promise, call), on: thread) }
  }

  /// Takes back the handlers of observers that have not started (rule 2.5). Returns whether there were any.
  @discardableResult
  private mutating func takeObserversBack(from promise: Int, on thread: Int) -> Bool {
    let taken = handlers.indices.filter { number in
      guard handlers[number].source == promise, [.onFulfilled, .onFailed].contains(handlers[number].kind) else {
        return false
      }
      let stays = handlers[number].kind == .onFailed ? BrokenRule.failureObserversStay : .observersStay
      return brokenRule != stays && handlers[number].state.isToCome
    }
    for number in taken { add(.withdraw(number), on: thread) }
    return !taken.isEmpty
  }

  // MARK: Giving up

  /// Returns whether a promise has consumers (rule 4.0).
  func hasConsumers(_ promise: Int) -> Bool {
    if brokenRule == .firstConsumerDecides { return false }
    if nodes[promise].isCleanup, brokenRule != .cleanupIsGivenUp { return true }
    return nodes[promise].leaving > 0
      || handlers.contains { handler in
        guard handler.source == promise, handler.state == .waiting else { return false }
        if handler.kind == .onRejected || handler.kind == .onFailed { return brokenRule == .rejectionObserverCounts }
        return handler.target.map(isPending) ?? true
      }
      || nodes.contains { $0.outcome == nil && ($0.follows.contains(promise) || $0.waitingInputs.contains(promise)) }
  }

  /// Returns the number of a new cancellation. The states of several threads are compared, so there they have none.
  mutating func newCall() -> Int {
    if isAlone { countOfCalls += 1 }
    return countOfCalls
  }

  /// Notes that a settled promise, or a Task, is about to give up another promise.
  ///
  /// - Parameter lateConsumer: A promise, settled before, that counts the other promise if that is settled now.
  mutating func willGiveUp(
    _ promise: Int, by consumer: Int?, _ reason: Outcome, call number: Int, countedBy lateConsumer: Int? = nil,
    on thread: Int
  ) {
    nodes[promise].leaving += 1
    let call = Call(
      reason: reason, number: number, lateConsumer: lateConsumer, goesUp: brokenRule != .wayUpStopsEarly)
    add(.giveUp(promise, by: consumer, call), on: thread)
  }

  /// Gives up a promise (rule 4.4). The model finds no consumer left and settles the promise in one step. A promise
  /// without consumers has no promises below it.
  mutating func giveUp(_ promise: Int, by consumer: Int?, _ call: Call, on thread: Int) {
    nodes[promise].leaving -= 1
    if let late = call.lateConsumer { add(.countLate(promise, by: late), on: thread) }
    if isPending(promise) {
      if let consumer { hookOrder.note(consumer, gaveUp: promise) }
      guard !hasConsumers(promise) else { return }
      hookOrder.noteCancelled(promise)
      settleCancelled(promise, by: call, on: thread)
    }
  }

  /// Returns the promises that this promise gives up when the call settles it. It only leaves the other promises for
  /// which it waits.
  func promisesGivenUp(by promise: Int, _ call: Call) -> [Int] {
    guard call.goesUp, brokenRule != .upstreamIsIgnored else {
      return brokenRule == .adoptedIsLeft ? [] : nodes[promise].follows
    }
    let isShield = nodes[promise].producer.map { handlers[$0].kind == .shielded } ?? false
    let isStopped = isShield && brokenRule != .shieldLeaks
    return nodes[promise].follows + nodes[promise].waitingInputs
      + (isStopped ? [] : [source(of: promise)].compactMap { $0 })
  }

  // MARK: Handlers

  /// Withdraws the handler of a cancelled promise (rule 2.5).
  mutating func withdraw(_ number: Int, on thread: Int) {
    let handler = handlers[number]
    switch (handler.state, handler.kind) {
    case (.waiting, .always), (.waiting, .alwaysThen):
      guard let target = handler.target, let reason = nodes[target].outcome else { return }
      if let source = handler.source, !isPending(source) { return }
      handlers[number].isEnqueuedByCancel = true
      handlers[number].state = .decided(SeenOutcome(reason))
      add(.enqueue(number), on: thread)
    case (.ready, .always), (.ready, .alwaysThen), (.decided, _), (.started, _), (.gone, _): return
    case (.waiting, _) where hearsOfErrorsWhenCancelled(handler): return
    case (.waiting, _):
      noteTakenBack(handler)
      handlers[number].state = .gone
    case (.ready(.failure), _) where hearsOfErrorsWhenCancelled(handler): return
    case (.ready, _):
      noteTakenBack(handler)
      handlers[number].state = .gone
      handlers[number].leavesJob = true
    }
  }

  // MARK: Bypassing

  /// Returns whether the library may bypass a promise that has adopted another, or is about to (rule 3.3).
  func mayBePassedOver(_ promise: Int) -> Bool {
    let node = nodes[promise]
    return !node.isHeld && !node.hasOwner && node.hooks.isEmpty
      && !handlers.contains { $0.source == promise && $0.state == .waiting }
      && !nodes.contains { $0.waitingInputs.contains(promise) }
  }
}

/// Rules that a model can break, so that tests can check that the comparison detects it.
enum BrokenRule: String, CaseIterable, Sendable {
  case upstreamIsIgnored, shieldLeaks, firstConsumerDecides, leavingIsGivingUp, adopterIsBelow, rejectionObserverCounts
  case adoptedIsLeft, recoverRunsAfterCancel, lateFollowLeaves, wayUpStopsEarly, observersStay
  case handlerIsNotCounted, sourceIsNotCounted, shieldWaits
  case cleanupIsGivenUp, cleanupBeginsAtOnce, cleanupIsNotCounted, cleanupErrorIsLost, cleanupErrorReplacesErrors
  case hookIsNotCounted, lateHookIsCounted, endHookNeedsCancel, lateSettlementCounts, ringsThroughFinishesAreMissed
  case hooksWaitForThemselves, failureObserversStay, rethrownMarkIsLost, returnedPromiseIsNotCounted
  case waiterDoesNotWait, waiterWaitsForOthers, unfinishedNamesNothing, keptReturnGoesOn, keptReturnLosesReason
  case waiterGivesUpLate
}

extension Model.Call {
  /// The same cancellation of the promises below.
  fileprivate var onTheWayDown: Self { Self(reason: reason, number: number) }
}
