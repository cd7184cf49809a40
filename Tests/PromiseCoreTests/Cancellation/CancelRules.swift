/// Applies the rules to the tree of `CancelOrderTests`, as plainly as possible.
extension CancelOrderTests {
  struct Rules {
    /// The outcomes of `source`, `derived`, `below` and `inner`, followed by the outcomes of later shields of
    /// `derived`.
    private var outcomes: [Outcome] = [.pending, .pending, .pending, .pending]
    private var hooks: [Int] = []
    /// Whether the handler has run and `derived` has adopted `inner`.
    private var hasAdopted = false

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
      case .cancelDerivedUpstream: if cancel(1) { giveUpSource() }
      case .cancelBelowUpstream: if cancel(2) { giveUpDerived() }
      case .fulfilSource: settle(0, .value(1))
      case .rejectSource: settle(0, .error(2))
      case .fulfilInner: settle(3, .value(3))
      case .runHandler: run()
      case .attach: attach()
      case .dropSource: settle(0, .broken)
      case .dropInner: settle(3, .broken)
      }
    }

    private func isPending(_ node: Int) -> Bool { outcomes[node] == .pending }

    /// Settles a promise. Links with a handler for values pass errors on, shields pass every outcome on, and an adopter
    /// gets the outcome of the promise that it has adopted.
    private mutating func settle(_ node: Int, _ outcome: Outcome) {
      guard isPending(node) else { return }
      outcomes[node] = outcome
      let isError = if case .value = outcome { false } else { true }
      if node == 0, isError { settle(1, outcome) }
      if node == 1 {
        if isError { settle(2, outcome) }
        for late in 4..<outcomes.count { settle(late, outcome) }
      }
      if node == 3, hasAdopted { settle(1, outcome) }
    }

    /// Rule 4.2. Cancels the promise and all promises below it, including those below settled promises. `inner` is not
    /// above `derived`. Returns whether this call has settled the promise.
    @discardableResult
    private mutating func cancel(_ node: Int) -> Bool {
      let wasPending = isPending(node)
      if wasPending, node == 0 || node == 3 { hooks.append(node == 0 ? 0 : 1) }
      settle(node, .cancelled)
      if node == 0 { cancel(1) }
      if node == 1 {
        cancel(2)
        for late in 4..<outcomes.count { settle(late, .cancelled) }
        // `derived` was the only consumer of `inner` (rule 4.4).
        if wasPending, hasAdopted, isPending(3) { cancel(3) }
      }
      return wasPending
    }

    /// Cancels the source, because `derived` was its only consumer (rule 4.4).
    private mutating func giveUpSource() { if isPending(0) { cancel(0) } }

    /// Cancels `derived` unless a pending shield is still its consumer (rule 4.4).
    private mutating func giveUpDerived() {
      guard isPending(1), !outcomes[4...].contains(.pending) else { return }
      cancel(1)
      giveUpSource()
    }

    /// Runs the handler, unless `derived` was cancelled before (rule 2.5).
    private mutating func run() {
      guard !hasAdopted, case .value = outcomes[0], isPending(1) else { return }
      hasAdopted = true
      if !isPending(3) { settle(1, outcomes[3]) }
    }

    private mutating func attach() {
      outcomes.append(.pending)
      if !isPending(1) { settle(outcomes.count - 1, outcomes[1]) }
    }
  }
}
