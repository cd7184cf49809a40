/// What the rules say about the tree of `CancelOrderTests`, as plainly as possible.
extension CancelOrderTests {
  struct Rules {
    /// Source, derived, below, inner, and then one for each link attached late.
    private var outcomes: [Outcome] = [.pending, .pending, .pending, .pending]
    private var hooks: [Int] = []
    /// The handler has run, and returned `inner`; `derived` was cancelled before or after.
    private var hasRun = false

    static func outcomes(of events: [Event]) -> [Picture] {
      var rules = Rules()
      return events.map { event in
        rules.perform(event)
        return Picture(outcomes: rules.outcomes, hooks: rules.hooks.sorted())
      }
    }

    private mutating func perform(_ event: Event) {
      switch event {
      case .cancelSource: cancel(0)
      case .cancelDerived: cancel(1)
      case .cancelBelow: cancel(2)
      case .cancelInner: cancel(3)
      case .abandonBelow: abandonBelow()
      case .fulfilSource: settle(0, .value(1))
      case .rejectSource: settle(0, .error(2))
      case .fulfilInner: settle(3, .value(3))
      case .runHandler: run()
      case .attach: attach()
      case .dropSource: settle(0, .broken)
      case .dropInner: settle(3, .broken)
      }
    }

    /// What settles as soon as a promise does: errors pass, and who has adopted it gets its outcome.
    private mutating func settle(_ node: Int, _ outcome: Outcome) {
      guard outcomes[node] == .pending else { return }
      outcomes[node] = outcome
      if outcome == .cancelled, node == 0 || node == 3 { hooks.append(node == 0 ? 0 : 1) }
      if case .value = outcome {} else if node < 2 { settle(node + 1, outcome) }
      if node == 3, hasRun { settle(1, outcome) }
      if node == 1 { for late in 4..<outcomes.count { settle(late, outcome) } }
    }

    /// Rules 4.2 and 4.4: what is pending below, also below settled promises, and what it had adopted.
    private mutating func cancel(_ node: Int) {
      let wasPending = outcomes[node] == .pending
      settle(node, .cancelled)
      switch node {
      case 0: cancel(1)
      case 1:
        cancel(2)
        for late in 4..<outcomes.count { settle(late, .cancelled) }
        if wasPending, hasRun { cancel(3) }
      case 3 where hasRun:
        cancel(1)
      default: break
      }
    }

    /// Rule 4.6: as far as nobody else waits. A late link waits for `derived`.
    private mutating func abandonBelow() {
      let wasPending = outcomes[2] == .pending
      cancel(2)
      guard wasPending, outcomes[1] == .pending, !outcomes[4...].contains(.pending) else { return }
      let waitsForSource = outcomes[0] == .pending
      cancel(1)
      if waitsForSource { cancel(0) }
    }

    /// The handler: never if `derived` was cancelled (rule 2.5), so there is nothing that it could return.
    private mutating func run() {
      guard !hasRun, case .value = outcomes[0], outcomes[1] == .pending else { return }
      hasRun = true
      if outcomes[3] != .pending { settle(1, outcomes[3]) }
    }

    private mutating func attach() {
      outcomes.append(.pending)
      if outcomes[1] != .pending { settle(outcomes.count - 1, outcomes[1]) }
    }
  }
}
