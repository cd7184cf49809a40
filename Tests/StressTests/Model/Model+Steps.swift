// The first actions of a call, and its answer.

extension Step {
  /// Returns whether the context drops its jobs, as the last context does.
  static func dropsJobs(_ context: Int) -> Bool { context == countOfContexts - 1 }
  static let countOfContexts = 4
}

extension Model {
  /// Takes a step alone. If the contract leaves open which of several handlers runs, `seen` tells which handler has
  /// run.
  mutating func perform(_ step: Step, seen: [Event]) -> Bool? {
    let answer = beginAlone(step, seen: seen)
    actAll()
    endStep()
    return answer
  }

  /// Begins a step that is taken alone.
  mutating func beginAlone(_ step: Step, seen: [Event]) -> Bool? {
    (events, hookOrder, callsOfTasks) = ([], HookOrder(), [:])
    // The last step may have left its frames, because only a copy of the model has seen that they are empty.
    (todo[0], hookFrame[0], isReleasing[0]) = ([], nil, false)
    guard case .run(let context) = step else { return begin(step, on: 0) }
    runNext(on: context, seen)
    return nil
  }

  private mutating func runNext(on context: Int, _ seen: [Event]) {
    let candidates = handlersThatMayRun(on: context)
    if case .ran(let number, _)? = seen.first, candidates.contains(number) {
      run(number, on: 0)
    } else if let first = candidates.first {
      run(first, on: 0)
    }
  }

  /// Begins a call and returns its answer.
  mutating func begin(_ step: Step, on thread: Int) -> Bool? {
    guard isPossible(step) else { return nil }
    switch step {
    case .make:
      put(Node(hasOwner: true), on: thread)
    case .link(let source, let kind, let context, let behaviour):
      append(kind, source: source, context: context, behaviour, hasTarget: true, on: thread)
    case .start(let kind, let context, let behaviour):
      enqueue(append(kind, source: nil, context: context, behaviour, hasTarget: true, on: thread), .start, on: thread)
    case .shield(let source):
      append(.shielded, source: source, context: 0, .gives(0), hasTarget: true, on: thread)
    case .combine(let combinator, let inputs): combine(combinator, inputs, on: thread)
    case .observe(let source, let kind, let context, let act):
      let behaviour = Step.Behaviour(first: act, result: .gives(0))
      let number = append(kind, source: source, context: context, behaviour, hasTarget: false, on: thread)
      if kind == .onProgress { handlers[number].state = .gone }
    case .await(let source, let isCancelled, let cancelsSource):
      let kind = cancelsSource ? Kind.cancellingWaiter : .waiter
      let number = append(kind, source: source, context: nil, .gives(0), hasTarget: false, on: thread)
      if isCancelled, isPending(source) { callOff(number, on: thread) }
    case .cancelTasks(let source):
      for (number, handler) in handlers.enumerated() where handler.kind.isWaiter && handler.source == source {
        if handler.state == .waiting { callOff(number, on: thread) }
      }
    case .settle(let promise, let ending):
      return answer(settle(promise, Outcome(ending), on: thread), promise)
    case .follow(let promise, let other):
      return follow(promise, other, on: thread)
    case .cancel(let promise, let failure, let upstream):
      let reason = Outcome.failure(Outcome.Failure(failure), isCancelled: true)
      add(.cancel(promise, Call(reason: reason, number: newCall(), goesUp: upstream)), on: thread)
    case .hook(let promise, let act):
      addHook(Hook(number: nodes[promise].countOfHooks, act: act), to: promise, on: thread)
    case .awaitedHook(let promise, let cause, let returned, let act):
      addHook(
        Hook(number: nodes[promise].countOfHooks, act: act, cause: cause, returned: returned), to: promise, on: thread)
    // The order of actions determines whether a report counts beside other threads.
    case .report(let promise, let eighths): return isAlone ? report(promise, eighths: eighths) : nil
    case .look(let promise): events.append(.progress(promise, look(at: promise)))
    case .dropOwner(let promise):
      nodes[promise].hasOwner = false
      if nodes[promise].follows.isEmpty {
        if isPending(promise) { isReleasing[thread] = true }
        settle(promise, .failure(.broken(promise), isCancelled: false), on: thread)
      }
    case .drop(let promise): nodes[promise].isHeld = false
    case .run: break
    case .dropJobs(let context):
      for (number, handler) in handlers.enumerated() where handler.context == context {
        if case .ready = handler.state { add(.dropJob(number), on: thread) }
      }
    }
    return nil
  }

  /// Returns whether the program still holds the objects of the step. A handler may find that they have been released.
  private func isPossible(_ step: Step) -> Bool {
    switch step {
    case .settle(let promise, _), .dropOwner(let promise), .hook(let promise, _), .awaitedHook(let promise, _, _, _),
      .report(let promise, _):
      nodes[promise].hasOwner
    case .follow(let promise, let other): nodes[promise].hasOwner && nodes[other].isHeld
    case .cancel(let promise, _, _), .observe(let promise, _, _, _), .await(let promise, _, _), .look(let promise),
      .link(let promise, _, _, _), .shield(let promise):
      nodes[promise].isHeld
    case .combine(_, let inputs): inputs.allSatisfy { nodes[$0].isHeld }
    case .make, .start, .cancelTasks, .drop, .run, .dropJobs: true
    }
  }

  /// Makes a promise follow another (rule 3.1).
  private mutating func follow(_ promise: Int, _ other: Int, on thread: Int) -> Bool {
    guard let outcome = nodes[promise].outcome else {
      adopt(promise, other, on: thread)
      return true
    }
    if nodes[promise].isCancelled, brokenRule != .lateFollowLeaves {
      willGiveUp(other, by: nil, outcome, call: newCall(), on: thread)
      takeDuty(of: other, by: promise)
    }
    add(.second(promise), on: thread)
    return false
  }

  private mutating func answer(_ isFirst: Bool, _ promise: Int) -> Bool {
    if !isFirst { noteSecond(promise) }
    return isFirst
  }

  @discardableResult
  private mutating func append(
    _ kind: Kind, source: Int?, context: Int?, _ behaviour: Step.Behaviour, hasTarget: Bool, on thread: Int
  ) -> Int {
    let number = nextNumbers[thread]?.handler ?? handlers.count
    let target = hasTarget ? nextNumbers[thread]?.promise ?? nodes.count : nil
    let handler = Handler(
      kind: kind, source: source, target: target, context: context, behaviour: behaviour,
      order: source.map { nodes[$0].isClosed } == true ? nil : countOfAttached)
    countOfAttached += 1
    if nextNumbers[thread] == nil { handlers.append(handler) } else { handlers[number] = handler }
    nextNumbers[thread]?.handler += 1
    if hasTarget {
      let weight = (source.map { nodes[$0].weight } ?? 1) + kind.weight
      put(Node(parent: source, producer: number, weight: weight), on: thread)
    }
    if let source, nodes[source].isPublished { add(.fire(number), on: thread) }
    return number
  }

  /// Adds a node and returns its number.
  @discardableResult
  mutating func put(_ node: Node, on thread: Int) -> Int {
    guard let next = nextNumbers[thread] else {
      nodes.append(node)
      return nodes.count - 1
    }
    nodes[next.promise] = node
    nextNumbers[thread]?.promise += 1
    return next.promise
  }

  /// Registers a hook (rule 4.5).
  private mutating func addHook(_ hook: Hook, to promise: Int, on thread: Int) {
    nodes[promise].countOfHooks += 1
    guard let outcome = nodes[promise].outcome else {
      nodes[promise].hooks.append(hook)
      return
    }
    guard runs(hook, afterCancel: nodes[promise].isCancelled) else { return }
    add(.lateHook(promise, hook, SeenOutcome(outcome)), on: thread)
  }

  /// Cancels a waiting Task, which leaves the promise or gives it up (rule 4.7).
  private mutating func callOff(_ waiter: Int, on thread: Int) {
    handlers[waiter].state = .decided(.failure(.cancellation))
    // It is resumed at the end of the step. So it waits for the finish of a promise that another Task has given up in
    // the same step.
    guard handlers[waiter].kind == .cancellingWaiter, let source = handlers[waiter].source else { return }
    nodes[source].leaving += 1
    let call = Call(reason: .failure(.cancellation, isCancelled: true), number: newCall(), goesUp: true)
    callsOfTasks[call.number] = source
    giveUp(source, by: nil, call, on: thread)
  }
}
