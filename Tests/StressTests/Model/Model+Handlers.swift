// Handlers, their results, and the lifetime of their captures.

extension Model {
  /// Fires a waiting handler whose promise is settled. Either the handler is enqueued, or the outcome passes it (rule
  /// 2.3).
  mutating func fire(_ number: Int, on thread: Int) {
    let handler = handlers[number]
    guard handler.state == .waiting, let source = handler.source, let outcome = nodes[source].outcome else { return }
    if handler.kind.isWaiter {
      noteSeenOutcome(of: handler, SeenOutcome(outcome))
      handlers[number].state = .decided(SeenOutcome(outcome))
      if handler.kind == .waiter { resumeWaiters() }
    } else if isCleanupOfSameCall(number), !mayBeginCleanup(number) {
      handlers[number].isEnqueuedByCancel = true
      handlers[number].state = .decided(SeenOutcome(outcome))
    } else if handles(number, outcome) {
      // The library ends a `Promise(on:)` that has not started after it has scheduled other handlers, so a cleanup may
      // begin after them.
      if isCleanupOfSameCall(number), isMadeByBody(source) { handlers[number].isEnqueuedByCancel = true }
      enqueue(number, SeenOutcome(outcome), on: thread)
    } else {
      // `source(of:)` no longer needs the handler.
      if let target = handler.target, isPending(target) { add(.pass(to: target, from: source), on: thread) }
      handlers[number].leavesJob = handler.kind.hasTwoHandlers || isUnheardFailure(handler)
      handlers[number].state = .gone
    }
  }

  /// Returns whether a promise is made by a `Promise(on:)`, or waits for one.
  private func isMadeByBody(_ promise: Int) -> Bool {
    var found = [promise]
    var visited: Set<Int> = []
    while let next = found.popLast() {
      if let maker = nodes[next].producer, handlers[maker].kind == .body { return true }
      if visited.insert(next).inserted { found += waitedFor(by: next) }
    }
    return false
  }

  /// Returns whether the job of an observer finds on its context that the rejection is a cancelled one.
  private func isUnheardFailure(_ handler: Handler) -> Bool {
    guard handler.kind == .onFailed, let source = handler.source else { return false }
    return nodes[source].outcome?.isCancelled ?? false
  }

  private func handles(_ number: Int, _ outcome: Outcome) -> Bool {
    let handler = handlers[number]
    // If the derived promise was cancelled, only some handlers still run (rule 2.5).
    let isWanted = handler.target.map(isPending) ?? true
    if outcome.isCancelled, handler.kind == .onFailed { return false }
    if outcome.failure != nil { return handler.kind.handlesErrors && (isWanted || hearsOfErrorsWhenCancelled(handler)) }
    return handler.kind.handlesValues && (isWanted || handler.kind.runsOnce)
  }

  func hearsOfErrorsWhenCancelled(_ handler: Handler) -> Bool {
    handler.kind.hearsOfErrorsWhenCancelled || brokenRule == .recoverRunsAfterCancel && handler.kind.handlesErrors
  }

  mutating func enqueue(_ number: Int, _ seenOutcome: SeenOutcome, on thread: Int) {
    if handlers[number].order == nil { handlers[number].order = countOfAttached }
    countOfAttached += 1
    handlers[number].state = .ready(seenOutcome)
    if handlers[number].context.map(Step.dropsJobs) ?? false { dropJob(number, on: thread) }
  }

  /// Rejects the promise of a handler whose job was dropped (rule 6.2).
  mutating func dropJob(_ number: Int, on thread: Int) {
    handlers[number].state = .gone
    if isReleasing[thread], hookFrame[thread] == nil {
      add(.rejectDropped(number), on: thread)
    } else {
      rejectDropped(number, on: thread)
    }
  }

  mutating func rejectDropped(_ number: Int, on thread: Int) {
    guard let target = handlers[number].target else { return }
    settle(target, .failure(.dropped(target), isCancelled: false), on: thread)
  }

  /// Returns whether a handler may run. On one context, handlers run after those that were attached to the same promise
  /// before them (rule 2.2).
  func mayRun(_ number: Int) -> Bool {
    let handler = handlers[number]
    guard case .ready = handler.state else { return false }
    if comesBehindSource(handler) { return false }
    if handler.isEnqueuedByCancel { return true }
    return !handlers.contains { other in
      guard let before = other.order, let place = handler.order, before < place, other.source == handler.source,
        other.source != nil, other.context == handler.context
      else { return false }
      return other.state.isToCome && !other.isEnqueuedByCancel
    }
  }

  /// Returns whether the handler of the source has yet to run, if one cancellation runs both. It runs them in the order
  /// of the chain (rule 2.5).
  private func comesBehindSource(_ handler: Handler) -> Bool {
    guard isAlone, let source = handler.source, let target = handler.target, let producer = nodes[source].producer,
      handlers[producer].kind == .always, handlers[producer].context == handler.context,
      case .ready = handlers[producer].state
    else { return false }
    return nodes[source].isCancelled && nodes[target].call == nodes[source].call
  }

  func handlersThatMayRun(on context: Int) -> [Int] {
    handlers.indices.filter { handlers[$0].context == context && mayRun($0) }
  }

  mutating func run(_ number: Int, on thread: Int) {
    guard case .ready(let seenOutcome) = handlers[number].state else { return }
    handlers[number].state = .started(seenOutcome)
    events.append(.ran(handler: number, seenOutcome))
    enter(on: thread)
    add(.finish(number), on: thread)
    noteSeenOutcome(of: handlers[number], seenOutcome)
    guard let first = handlers[number].behaviour.first else { return }
    enter(on: thread)
    add(.inner(first), on: thread)
  }

  mutating func finish(_ number: Int, on thread: Int) {
    let handler = handlers[number]
    guard case .started(let seenOutcome) = handler.state else { return }
    handlers[number].state = .gone
    guard let target = handler.target else { return }
    // A promise that the handler returns is counted, unless it waits for this one.
    nodes[target].holds += 1
    defer { nodes[target].holds -= 1 }
    switch handler.result(for: seenOutcome) {
    case .passes:
      guard let source = handler.source, let outcome = nodes[source].outcome else { return }
      settle(target, outcome, via: source, isLookedAt: handler.kind == .catch, on: thread)
    case .ends(let outcome):
      if !settle(target, outcome, on: thread), handler.kind == .body { noteSecond(target) }
    case .throwsAgain:
      if !settle(target, outcome(rethrowing: seenOutcome, of: handler), on: thread), handler.kind == .body {
        noteSecond(target)
      }
    case .cleansUp(let result): cleanUp(number, result, after: seenOutcome, on: thread)
    case .adopts(let other) where !nodes[other].isHeld:
      let isFirst = settle(target, .failure(.test(-1), isCancelled: false), on: thread)
      if !isFirst, handler.kind == .body { noteSecond(target) }
    case .adopts(let other):
      guard var outcome = nodes[target].outcome else { return adopt(target, other, on: thread) }
      if handler.kind == .body { add(.second(target), on: thread) }
      // The returned promise is discarded, like an error that the handler throws. A consumer that gives a promise up
      // handles no rejection.
      if !isPending(other) { nodes[other].isReportOpen = true }
      // Only a cancellation can have settled the target (rules 2.5, 3.1 and 4.4).
      let isCounted = handler.kind != .body && nodes[target].countsHandler && brokenRule != .returnedPromiseIsNotCounted
      // The handler was kept when the target was cancelled (rule 2.5). A cancellation counts every other handler.
      if !nodes[target].countsHandler, handler.kind == .thenBoth {
        if brokenRule == .keptReturnGoesOn { return }
        if brokenRule == .keptReturnLosesReason { outcome = .failure(.cancellation, isCancelled: true) }
      }
      if isCounted { nodes[target].holds += 1 }
      return willGiveUp(
        other, by: nil, outcome, call: newCall(), countedBy: isCounted ? target : nil, on: thread)
    }
    // The closure of `Promise(on:)` has released its owner (rule 6.2).
    if handler.kind == .body, nodes[target].follows.isEmpty {
      if isPending(target) { isReleasing[thread] = true }
      settle(target, .failure(.broken(target), isCancelled: false), on: thread)
    }
  }

  /// Returns the outcome of a handler that throws the error that it was given. The rejection keeps the mark (rule 1.2).
  private func outcome(rethrowing seenOutcome: SeenOutcome, of handler: Handler) -> Outcome {
    guard case .failure(let failure) = seenOutcome else { return .failure(.test(-1), isCancelled: false) }
    let isMarked = handler.source.map { nodes[$0].outcome?.isCancelled ?? false } ?? false
    return .failure(failure, isCancelled: failure == .cancellation || isMarked && brokenRule != .rethrownMarkIsLost)
  }

  mutating func noteSecond(_ promise: Int) {
    events.append(.second(promise, afterCancel: nodes[promise].isCancelled))
  }
}

extension Model.Handler {
  enum Result {
    case passes
    case ends(Outcome)
    case adopts(Int)
    case throwsAgain
    case cleansUp(Step.Behaviour.Result)
  }

  func result(for seenOutcome: SeenOutcome) -> Result {
    let target = target ?? -1
    switch (kind, behaviour.result) {
    case (.always, _), (.catch, _): return .passes
    case (.alwaysThen, let result): return .cleansUp(result)
    case (_, .fails(let failure)): return .ends(Outcome(throwing: failure))
    case (_, .throwsAgain): return .throwsAgain
    case (_, .adopts(let other)) where kind.adopts: return .adopts(other)
    case (.tap, _): return .passes
    case (.mapError, .gives(let number)), (.mapError, .adopts(let number)):
      return .ends(.failure(.test(number), isCancelled: false))
    case (.validate, .gives(0)): return .ends(.failure(.refused(target), isCancelled: false))
    case (.validate, _): return .passes
    case (.compactMap, .gives(0)): return .ends(.failure(.noValue(target), isCancelled: false))
    case (_, .gives(let number)), (_, .adopts(let number)): return .ends(.value(number))
    }
  }
}

extension Model.Handler.State {
  /// Whether the handler has not run and may still run.
  var isToCome: Bool {
    switch self {
    case .waiting, .decided, .ready: true
    case .started, .gone: false
    }
  }
}

// MARK: - Visible captures

extension Model {
  /// Returns whether the capture of a handler is alive, or `nil` if the rules leave that open. The capture is alive as
  /// long as the handler can still run (rules 2.4, 2.5 and 6.1).
  func isAlive(_ handler: Handler, errorHalf: Bool) -> Bool? {
    let isWanted = handler.target.map(isPending) ?? true
    switch handler.state {
    // The rejection half of a pair is not needed after a cancellation. No rule says when it is released, because rule
    // 2.5 speaks of the other half.
    case .gone where errorHalf && handler.target.map { nodes[$0].isCancelled } ?? false: return nil
    case .gone where isUnheardFailure(handler): return nil
    case .gone: return false
    case .started: return nil
    case .decided: return isAlone ? true : nil
    case .waiting: return isWanted || handler.kind.runsOnce || errorHalf || !handler.kind.hasTwoHandlers
    case .ready(let seenOutcome):
      guard handler.kind.hasTwoHandlers else { return true }
      guard case .failure = seenOutcome else { return errorHalf ? nil : true }
      // The value half of the pair does not run. It is released at the latest with this half, and earlier if the
      // promise was cancelled.
      return errorHalf ? true : isWanted ? nil : false
    }
  }
}
