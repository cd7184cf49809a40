/// Looks for an order of the actions of several threads in which the model has the same observations.
struct Explanation {
  private struct State: Hashable {
    var model: Model
    /// For each thread, the number of steps that it has begun, and below the number of events that it has had from the
    /// last of these steps.
    var begun: [Int]
    var had: [Int]
  }

  enum Verdict: Sendable { case explained, unexplained, open, tooManyStates }

  private let program: ConcurrentProgram
  private let history: History
  /// Whether each thread takes its actions in a fixed order.
  private let isOrdered: Bool
  private var visited: Set<State> = []
  private static let mostStates = 10_000

  /// Returns the verdict on a history.
  ///
  /// - Parameter model: The model after the prefix.
  static func verdict(on history: History, of program: ConcurrentProgram, from model: Model) -> Verdict {
    // The order in which a thread takes the actions of one call seldom matters, so a fixed order is tried first.
    for isOrdered in [true, false] {
      var explanation = Explanation(program, history, isOrdered: isOrdered)
      let verdict = explanation.search(from: model)
      if verdict != .unexplained { return verdict }
    }
    return .unexplained
  }

  private init(_ program: ConcurrentProgram, _ history: History, isOrdered: Bool) {
    (self.program, self.history, self.isOrdered) = (program, history, isOrdered)
  }

  private mutating func search(from model: Model) -> Verdict {
    let none = program.threads.map { _ in 0 }
    var found = [State(model: model, begun: none, had: none)]
    while let state = found.popLast() {
      // A state that the contract leaves open is not examined any further.
      if state.model.isOpen { return .open }
      let next = moves(from: state)
      if next.isEmpty, isOver(state) {
        switch verdictOnTail(state.model) {
        case .unexplained: break
        case let verdict: return verdict
        }
      }
      // States are compared here, and not when their turn comes, because waiting states take memory, too.
      found += next.filter { visited.insert($0).inserted }
      if visited.count > Self.mostStates { return .tooManyStates }
    }
    return .unexplained
  }

  private func isOver(_ state: State) -> Bool {
    program.threads.indices.allSatisfy { thread in
      state.begun[thread] == program.threads[thread].count && hasHadAll(thread, state) && state.model.isIdle(thread)
    }
  }

  private func hasHadAll(_ thread: Int, _ state: State) -> Bool {
    state.begun[thread] == 0 || history.threads[thread][state.begun[thread] - 1].events.count == state.had[thread]
  }

  private func moves(from state: State) -> [State] {
    var moves: [State] = []
    for thread in program.threads.indices {
      var state = state
      let actions = state.model.nextActions(of: thread)
      if actions.isEmpty {
        if let begun = beginning(state, thread) { moves.append(begun) }
        continue
      }
      for action in isOrdered ? actions.prefix(1) : actions[...] {
        if let skipped = skippingLook(state, action, thread) { moves.append(skipped) }
        var moved = state
        moved.model.act(action, on: thread)
        if isSeen(&moved, thread) { moves.append(moved) }
      }
    }
    return moves
  }

  /// Returns the state without the action, if that cancels what was attached during a call. The call need not reach it
  /// (rule 4.3).
  private func skippingLook(_ state: State, _ action: Int, _ thread: Int) -> State? {
    guard state.model.todo[thread].last?[action].looksAgain == true else { return nil }
    var skipped = state
    skipped.model.skip(action, on: thread)
    return skipped
  }

  private func beginning(_ before: State, _ thread: Int) -> State? {
    guard before.begun[thread] < program.threads[thread].count, hasHadAll(thread, before) else { return nil }
    var state = before
    let step = program.threads[thread][state.begun[thread]]
    let seen = history.threads[thread][state.begun[thread]]
    state.begun[thread] += 1
    state.had[thread] = 0
    if case .run(let context) = step {
      let candidates = state.model.handlersThatMayRun(on: context)
      guard case .ran(let number, _)? = seen.events.first else { return candidates.isEmpty ? state : nil }
      guard candidates.contains(number) else { return nil }
      state.model.run(number, on: thread)
    } else if state.model.begin(step, on: thread) != seen.answer {
      return nil
    }
    return isSeen(&state, thread) ? state : nil
  }

  /// Returns whether the events that have just happened were observed next.
  private func isSeen(_ state: inout State, _ thread: Int) -> Bool {
    let events = state.model.takeEvents()
    let seen = history.threads[thread][state.begun[thread] - 1].events.dropFirst(state.had[thread])
    state.had[thread] += events.count
    return seen.starts(with: events)
  }

  // MARK: - When the threads have ended

  private func verdictOnTail(_ model: Model) -> Verdict {
    var orders = Orders(from: model)
    for late in history.tail {
      orders.take(late.step, seen: late.seen.events) { explains(late, $0, answer: $1) }
      if orders.isOpen { return .open }
      if orders.models.isEmpty { break }
    }
    if orders.models.contains(where: explainsEnd) { return .explained }
    return orders.areTooMany ? .tooManyStates : .unexplained
  }

  private func explains(_ late: History.Late, _ model: Model, answer: Bool?) -> Bool {
    var model = model
    return answer == late.seen.answer && model.takeEvents() == late.seen.events
  }

  private func explainsEnd(_ model: Model) -> Bool {
    let outcomes = model.nodes.map { $0.isHeld ? $0.outcome?.withoutCycle : nil }
    let hooks = model.nodes.map { $0.isCancelled ? $0.countOfHooks : 0 }
    return outcomes == history.outcomes && hooks.indices.allSatisfy { hooks[$0] == history.hooks[$0, default: 0] }
  }
}

extension Model {
  /// Returns the events that certainly belong to one thread. Hooks do not, because they run on the thread that
  /// completes the cancel.
  fileprivate mutating func takeEvents() -> [Event] {
    defer { events = [] }
    return events.filter { !$0.isHook }.map(\.withoutCycle)
  }
}
