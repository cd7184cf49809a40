/// A second model of the contract, written without a look at `Model`.
///
/// It keeps nothing up to date. Whenever a rule asks for the consumers of a promise, or for the promises below it, the
/// oracle searches the whole graph. So it is slow, but it has no lists or counts that could be wrong in the same way as
/// those of the engine. It knows only links, observers, owners and adoption.
final class Oracle {
  enum Kind: CaseIterable { case map, then, recover, `catch`, always, shield }

  /// The states of a handler. A *queued* handler has a job on its context.
  enum Handler { case none, waiting, queued, over }

  final class Node {
    let number: Int
    /// `nil` for the promise of an owner.
    let kind: Kind?
    let source: Node?
    /// The value that the handler returns. Its multiples of five are thrown by `map`. For `then`, a promise's number.
    let deed: Int
    var outcome: Outcome?
    /// Whether it was settled before its source (rule 4.0).
    var hasLeft = false
    /// The promises that it has adopted or follows.
    var follows: [Node] = []
    /// Its dependents, in the order of attachment.
    var dependents: [Dependent] = []
    var handler: Handler
    var input: Outcome?
    var wasCancelledByCall = false
    /// The number of hooks, and how often they have run in all.
    var hooks = 0, hookRuns = 0

    init(_ number: Int, _ kind: Kind? = nil, of source: Node? = nil, deed: Int = 0) {
      (self.number, self.kind, self.source, self.deed) = (number, kind, source, deed)
      handler = kind == nil || kind == .shield ? .none : .waiting
    }

    var isPending: Bool { outcome == nil }

    /// Whether its handler is for that outcome of the source.
    func handles(_ outcome: Outcome) -> Bool {
      switch kind {
      case .map, .then: outcome.failure == nil
      case .recover, .catch: outcome.failure != nil
      case .always: true
      case .shield, nil: false
      }
    }

    /// Whether its handler may run even if the promise was cancelled (rule 2.5).
    var outlivesCancellation: Bool { kind == .catch || kind == .always }
  }

  enum Dependent {
    case link(Node)
    case follower(Node)
    case observer(Observer)
    /// The handler of an `always` that was cancelled before its source was settled.
    case cancelledAlways(Node)
  }

  final class Observer {
    let wantsValue: Bool, wantsError: Bool
    var handler = Handler.waiting
    var input: Outcome?
    init(wantsValue: Bool, wantsError: Bool) { (self.wantsValue, self.wantsError) = (wantsValue, wantsError) }
  }

  private(set) var nodes: [Node] = []
  private(set) var observers: [Observer] = []

  // MARK: Making

  func make() -> Node { add(Node(nodes.count)) }

  func link(_ kind: Kind, of source: Node, deed: Int) {
    let link = add(Node(nodes.count, kind, of: source, deed: deed))
    attach(.link(link), to: source)
  }

  /// Returns the number of the observer.
  func observe(_ node: Node, value: Bool, error: Bool) -> Int {
    let observer = Observer(wantsValue: value, wantsError: error)
    observers.append(observer)
    attach(.observer(observer), to: node)
    return observers.count - 1
  }

  private func add(_ node: Node) -> Node {
    nodes.append(node)
    return node
  }

  private func attach(_ dependent: Dependent, to node: Node) {
    node.dependents.append(dependent)
    guard let outcome = node.outcome else { return }
    publish(pass(outcome, to: dependent, from: node).map { [$0] } ?? [])
  }

  // MARK: Settling

  func settle(_ node: Node, _ outcome: Outcome) {
    guard node.isPending else { return }
    node.outcome = outcome
    node.follows = []
    publish([node])
  }

  /// Rule 6.2.
  func dropOwner(of node: Node) {
    if node.follows.isEmpty { settle(node, .failure(.broken(node.number), isCancelled: false)) }
  }

  /// Rules 3.1, 3.2 and 4.4.
  func follow(_ node: Node, _ other: Node) {
    if !node.isPending {
      if node.wasCancelledByCall, consumers(of: other) == 0 { giveUp([other], because: node.outcome) }
    } else if waits(other, for: node) {
      settle(node, .failure(.cycle(node.number), isCancelled: false))
    } else if let outcome = other.outcome {
      settle(node, outcome)
    } else {
      node.follows.append(other)
      other.dependents.append(.follower(node))
    }
  }

  private func publish(_ settled: [Node]) {
    var queue = settled[...]
    while let node = queue.popFirst(), let outcome = node.outcome {
      for dependent in node.dependents { pass(outcome, to: dependent, from: node).map { queue.append($0) } }
    }
  }

  /// Returns the promise that is settled by it.
  private func pass(_ outcome: Outcome, to dependent: Dependent, from node: Node) -> Node? {
    switch dependent {
    case .observer(let observer):
      guard observer.handler == .waiting else { return nil }
      let isWanted = outcome.failure == nil ? observer.wantsValue : observer.wantsError
      (observer.handler, observer.input) = (isWanted ? .queued : .over, outcome)
      return nil
    case .cancelledAlways(let link):
      (link.handler, link.input) = (.queued, outcome)
      return nil
    case .link(let link) where link.handler == .waiting && link.handles(outcome):
      (link.handler, link.input) = (.queued, outcome)
      return nil
    case .link(let link), .follower(let link):
      if link.handler == .waiting { link.handler = .over }
      guard link.isPending else { return nil }
      link.outcome = outcome
      link.follows = []
      return link
    }
  }

  // MARK: Running

  /// A handler has run, and its promise gets what it has returned.
  func finish(_ node: Node) {
    node.handler = .over
    switch node.kind {
    case .map where node.deed % 5 == 0: settle(node, .failure(.test(node.deed), isCancelled: false))
    case .map, .recover: settle(node, .value(node.deed))
    case .catch, .always: if let input = node.input { settle(node, input) }
    case .then: follow(node, nodes[node.deed])
    case .shield, nil: break
    }
  }

  // MARK: Cancelling

  func cancel(_ node: Node, because reason: Int, upstream: Bool) {
    var cancellation = OracleCancellation(reason: .failure(.test(reason), isCancelled: true), self)
    cancellation.goDown(from: node, goingUp: upstream)
    carryOut(&cancellation)
  }

  private func giveUp(_ nodes: [Node], because outcome: Outcome?) {
    var cancellation = OracleCancellation(reason: outcome ?? .failure(.cancellation, isCancelled: true), self)
    cancellation.givenUp = nodes
    carryOut(&cancellation)
  }

  private func carryOut(_ cancellation: inout OracleCancellation) {
    cancellation.goUp()
    publish(cancellation.settled)
    for node in cancellation.settled { node.hookRuns += node.hooks }
  }

  // MARK: Searching

  /// Rule 4.0. Counts each place.
  func consumers(of node: Node) -> Int {
    node.dependents.count { dependent in
      switch dependent {
      case .link(let link): link.isPending
      case .follower(let follower): follower.isPending && follower.follows.contains { $0 === node }
      case .observer(let observer): observer.wantsValue && observer.handler == .waiting
      case .cancelledAlways: false
      }
    }
  }

  /// Whether a promise waits for another, or is the same.
  private func waits(_ node: Node, for other: Node) -> Bool {
    if node === other { return true }
    guard node.isPending else { return false }
    return (node.follows + [node.source].compactMap { $0 }).contains { waits($0, for: other) }
  }
}

/// One cancellation, with the promises that it has settled, and the promises that these have given up.
struct OracleCancellation {
  let reason: Outcome
  private let oracle: Oracle
  private(set) var settled: [Oracle.Node] = []
  /// Promises that have lost a consumer which gave up.
  var givenUp: [Oracle.Node] = []

  init(reason: Outcome, _ oracle: Oracle) { (self.reason, self.oracle) = (reason, oracle) }

  /// Rule 4.2.
  mutating func goDown(from first: Oracle.Node, goingUp: Bool) {
    var stack = [first]
    while let node = stack.popLast() {
      if node.isPending { settle(node, goingUp: goingUp && node === first) }
      for case .link(let link) in node.dependents where !link.hasLeft { stack.append(link) }
      // Rule 2.5.
      for case .observer(let observer) in node.dependents where !observer.wantsError { observer.handler = .over }
    }
  }

  /// Rule 4.4: until no promise that was given up is pending without a consumer.
  mutating func goUp() {
    while let index = givenUp.firstIndex(where: { $0.isPending && oracle.consumers(of: $0) == 0 }) {
      settle(givenUp[index], goingUp: true)
    }
  }

  private mutating func settle(_ node: Oracle.Node, goingUp: Bool) {
    node.outcome = reason
    node.wasCancelledByCall = true
    settled.append(node)
    givenUp += node.follows
    node.follows = []
    if let source = node.source, source.isPending {
      node.hasLeft = true
      if goingUp, node.kind != .shield { givenUp.append(source) }
      if node.kind == .always {
        node.handler = .over
        node.dependents.append(.cancelledAlways(node))
      }
    }
    if !node.outlivesCancellation, node.handler != .none { node.handler = .over }
  }
}
