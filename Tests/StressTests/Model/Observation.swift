import PromiseCore

/// The observation of a step that was taken alone.
struct Observation {
  let step: Step
  let answer: Bool?
  let events: [Event]
  /// The outcomes of all promises. They are `nil` for a pending promise, and for a promise that the program does not
  /// hold.
  let outcomes: [Outcome?]
  /// For each handler and each of its halves, the number of captures that are alive.
  let captures: [[Int]]
  /// For each promise, whether it is alive.
  let living: [Bool]
  /// For each settled promise that is alive, whether it has finished.
  let finished: [Bool?]
  /// For each settled promise that is alive, the things that its `waitsFor` names.
  let named: [Named?]
  /// For each promise whose waiting Tasks the step has cancelled, the promises that were pending when that call
  /// returned.
  let pendingAfterCancel: [Int: Set<Int>]
  /// The parent of the promise that the step reads, or `nil` for other steps.
  let parent: Parent?

  enum Parent: Equatable {
    case none
    case promise(Int)
  }

  enum Named {
    case nothing
    /// The tree ends at promises, and names nothing that still runs.
    case onlyPromises
    case work

    init(_ nodes: [WaitNode]) {
      if nodes.isEmpty {
        self = .nothing
      } else {
        self = nodes.contains(where: Self.leadsToWork) ? .work : .onlyPromises
      }
    }

    private static func leadsToWork(_ node: WaitNode) -> Bool {
      node.kind != .promise || node.waitsFor.contains(where: leadsToWork)
    }
  }
}

extension Machine {
  /// Takes a step, or another step in its place, alone. Returns the observation.
  func observation(of step: Step, taking taken: Step?) -> Observation {
    let answer = taken.flatMap(perform)
    runTasks()
    var parent: Observation.Parent?
    if case .look(let number) = step, promise(number) != nil { parent = self.parent(of: number) }
    return Observation(
      step: step, answer: answer, events: takeEvents(), outcomes: promises.map { $0.flatMap(Outcome.init) },
      captures: captures, living: living, finished: finished, named: named,
      pendingAfterCancel: takePendingAfterCancel(), parent: parent)
  }
}

extension Outcome {
  /// Creates the outcome of a promise, or `nil` if it is pending. This does not handle a rejection (rule 7.1).
  init?(_ promise: Promise<Int>) {
    if promise.isPending { return nil }
    switch Promise<Int>.settledOutcome(of: promise) {
    case .success(let value): self = .value(value)
    case .failure(let error): self = .failure(Failure(error), isCancelled: promise.isCancelled)
    }
  }
}

extension Model {
  /// Returns a description of how the observation differs from this model, which has taken the step, or `nil` if it
  /// does not.
  func difference(from seen: Observation, answer: Bool?) -> String? {
    if seen.answer != answer, !(isProgressOpen && seen.step.isReport) {
      return Self.difference("answers", seen.answer as Any, answer as Any)
    }
    if seen.events != events, sorted(seen.events) != sorted(events) {
      return Self.difference("events", seen.events, events)
    }
    if !hookOrder.isKept(in: seen.events) {
      return Self.difference("order of hooks", seen.events, hookOrder)
    }
    return differenceOfObjects(from: seen)
  }

  private func differenceOfObjects(from seen: Observation) -> String? {
    // By index, because a copy of a node retains all that it refers to.
    for number in nodes.indices where nodes[number].isHeld && seen.outcomes[number] != nodes[number].outcome {
      return Self.difference("promise \(number)", seen.outcomes[number] as Any, nodes[number].outcome as Any)
    }
    for number in nodes.indices where nodes[number].isHeld && nodes[number].isCancelled {
      guard let call = nodes[number].call, let source = callsOfTasks[call],
        let pending = seen.pendingAfterCancel[source]
      else { continue }
      // The Task has given the promise up inside `task.cancel()`, and not when it was resumed (rule 4.7).
      let expected = brokenRule == .waiterGivesUpLate
      if pending.contains(number) == expected { continue }
      return Self.difference("whether promise \(number) was pending after the call", !expected, expected)
    }
    for number in handlers.indices {
      let handler = handlers[number]
      for half in seen.captures[number].indices {
        let count = seen.captures[number][half]
        guard let expected = isAlive(handler, errorHalf: half == 1), expected != (count == 1) else { continue }
        return Self.difference("captures of handler \(number), half \(half)", count, expected ? 1 : 0)
      }
    }
    if case .look(let number) = seen.step, let parent = seen.parent {
      let allowed = parents(of: number).map { $0.map { Observation.Parent.promise($0) } ?? .none }
      if !allowed.contains(parent) { return Self.difference("parent of \(number)", parent, allowed) }
    }
    for number in nodes.indices where seen.living[number] && !mayBeAlive(number) {
      return Self.difference("promise \(number)", "alive", "released")
    }
    for (number, isFinished) in seen.finished.enumerated() {
      guard let isFinished, let named = seen.named[number] else { continue }
      let hasFinished = hasFinished(number)
      guard isFinished == hasFinished else {
        return Self.difference("finish of promise \(number)", isFinished, hasFinished)
      }
      let isEmpty = hasFinished || brokenRule == .unfinishedNamesNothing
      let expected: Observation.Named = isEmpty ? .nothing : .work
      if named == expected { continue }
      return Self.difference("things that promise \(number) names", named, expected)
    }
    return nil
  }

  private static func difference(_ what: String, _ found: Any, _ expected: Any) -> String {
    "\(what): \(found), but the model says \(expected)"
  }

  /// Returns the events without the order of resumed Tasks. `HookOrder` checks the order of hooks of different
  /// promises.
  private func sorted(_ events: [Event]) -> [Event] {
    var others: [Event] = []
    var unordered: [Event: [Event]] = [:]
    for event in events {
      switch event {
      case .hook(let promise, _, _): unordered[.progress(promise, millionths: -1), default: []].append(event)
      case .progress where isProgressOpen: break
      case .awaited: unordered[event, default: []].append(event)
      default: others.append(event)
      }
    }
    return others + unordered.sorted { "\($0.key)" < "\($1.key)" }.flatMap(\.value)
  }
}
