// The actions of the threads, and the orders in which a thread may take them.

extension Model {
  mutating func add(_ action: Action, on thread: Int) {
    if todo[thread].isEmpty { todo[thread].append([]) }
    todo[thread][todo[thread].count - 1].append(action)
  }

  /// Opens a frame. Actions that the thread adds from now on come before all others.
  mutating func enter(on thread: Int) { todo[thread].append([]) }

  func isIdle(_ thread: Int) -> Bool { todo[thread].allSatisfy(\.isEmpty) }

  /// Returns the indices of the actions of which the thread may take any next.
  mutating func nextActions(of thread: Int) -> [Int] {
    while todo[thread].last?.isEmpty == true { todo[thread].removeLast() }
    if let frame = hookFrame[thread], todo[thread].count <= frame { hookFrame[thread] = nil }
    guard let actions = todo[thread].last else {
      isReleasing[thread] = false
      return []
    }
    let down = actions.indices.filter { actions[$0].goesDown }
    if !down.isEmpty { return down }
    let again = actions.indices.filter { actions[$0].looksAgain }
    if !again.isEmpty { return again }
    // The rules leave open whether giving up or the passing of outcomes comes first, and which of several promises is
    // given up first.
    let others = actions.indices.filter { !actions[$0].comesLast }
    // The library gives up first. So this order is the first to be tried.
    if isAlone, !others.isEmpty {
      return others.filter { actions[$0].givesUp } + others.filter { !actions[$0].givesUp }
    }
    if !others.isEmpty { return others }
    let late = actions.indices.filter { actions[$0].countsLate }
    if !late.isEmpty { return late }
    // Hooks of one promise run in the order in which they were registered.
    return actions.indices.filter { index in
      guard case .hook(let promise, _, _) = actions[index] else { return true }
      return !actions[..<index].contains { if case .hook(promise, _, _) = $0 { true } else { false } }
    }
  }

  /// Returns whether a hook runs after a settlement.
  func runs(_ hook: Hook, afterCancel isCancelled: Bool) -> Bool {
    isCancelled || hook.cause == .anyEnd && brokenRule != .endHookNeedsCancel
  }

  /// Adds a hook of a settled promise. If a hook of the same thread has caused the cancellation, the new hook runs
  /// after the other has returned (rule 4.5).
  mutating func add(_ hook: Hook, of promise: Int, _ seenOutcome: SeenOutcome, on thread: Int) {
    let action = Action.hook(promise, hook, seenOutcome)
    guard let frame = hookFrame[thread] else { return add(action, on: thread) }
    todo[thread][frame - 1].append(action)
  }

  /// Takes the action off the list.
  @discardableResult
  mutating func skip(_ index: Int, on thread: Int) -> Action {
    todo[thread][todo[thread].count - 1].remove(at: index)
  }

  mutating func act(_ index: Int, on thread: Int) {
    switch skip(index, on: thread) {
    case .pass(let promise, let source):
      guard let outcome = nodes[source].outcome else { return }
      settle(promise, outcome, via: source, on: thread)
    case .publish(let promise): publish(promise, on: thread)
    case .fire(let handler): fire(handler, on: thread)
    case .cancel(let promise, let call): cancel(promise, by: call, on: thread)
    case .reveal(let promise): nodes[promise].isRevealed = true
    case .descend(let promise, let call): descend(from: promise, by: call, on: thread)
    case .descendAgain(let promise, let call): descendAgain(from: promise, by: call, on: thread)
    case .giveUp(let promise, let consumer, let call): giveUp(promise, by: consumer, call, on: thread)
    case .depart(let promise, let others):
      leaveParent(promise)
      for other in others { nodes[other].leaving -= 1 }
    case .withdraw(let handler): withdraw(handler, on: thread)
    case .enqueue(let handler):
      if case .decided(let seenOutcome) = handlers[handler].state, mayBeginCleanup(handler) {
        enqueue(handler, seenOutcome, on: thread)
      }
    case .dropJob(let handler):
      guard case .ready = handlers[handler].state else { return }
      dropJob(handler, on: thread)
      // From here on, the step releases further jobs and owners.
      isReleasing[thread] = true
    case .rejectDropped(let handler): rejectDropped(handler, on: thread)
    case .finish(let handler): finish(handler, on: thread)
    case .inner(let step):
      // The followed promise determines whether this report counts.
      if case .report(let promise, _) = step, isProgressOpen, !nodes[promise].follows.isEmpty { isOpen = true }
      // The call completes all its effects before it answers.
      enter(on: thread)
      let answer = begin(step, on: thread)
      todo[thread].insert([.answer(answer)], at: todo[thread].count - 1)
    case .answer(let answer): events.append(.answered(answer))
    case .hook(let promise, let hook, let seenOutcome):
      hookOrder.noteHook()
      events.append(.hook(of: promise, hook.number, seenOutcome))
      guard let act = hook.act else { return end(hook, of: promise) }
      enter(on: thread)
      hookFrame[thread] = todo[thread].count - 1
      add(.endHook(promise, hook), on: thread)
      enter(on: thread)
      add(.inner(act), on: thread)
    case .endHook(let promise, let hook): end(hook, of: promise)
    case .endCleanup(let promise): endCleanup(of: promise, on: thread)
    case .lateHook(let promise, let hook, let seenOutcome):
      events.append(.hook(of: promise, hook.number, seenOutcome))
      hookOrder.noteLate(.hook(of: promise, hook.number, seenOutcome))
      if brokenRule == .lateHookIsCounted, let returned = hook.returned { nodes[promise].awaited.insert(returned) }
      guard let act = hook.act else { return }
      enter(on: thread)
      if hookFrame[thread] == nil { hookFrame[thread] = todo[thread].count - 1 }
      add(.inner(act), on: thread)
    case .take(let promise, let input): take(promise, input: input, on: thread)
    case .breakRing(let promise): settle(promise, .failure(.cycle(promise), isCancelled: false), on: thread)
    case .second(let promise): noteSecond(promise)
    case .countLate(let promise, let late):
      nodes[promise].isCountedLate = true
      // Not if it waits for that promise (rule 3.2).
      if !isPending(promise), !reaches(promise, late) { nodes[late].counted.insert(promise) }
      nodes[late].holds -= 1
    case .close(let promise): nodes[promise].isClosed = true
    }
  }

  /// Takes all actions of the thread, while other threads take none.
  mutating func actAll(on thread: Int = 0) {
    while let next = nextActions(of: thread).first { act(next, on: thread) }
  }
}
