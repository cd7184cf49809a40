extension AnyPromise {
  /// The things for which this promise waits. Empty if it has finished (rule 2.11).
  ///
  /// The tree leads from this promise to everything that could settle it: through links to their sources, to the
  /// promises that handlers have returned, to the promises that owners follow, and to the pending inputs of
  /// combinators. Its ends are owners that have not settled their promises, handlers that are queued or running, Tasks,
  /// timers, and places in gates. ``causes`` returns these, each once.
  ///
  /// The tree of a settled promise that has not finished leads to what still runs: handlers, Tasks, hooks of owners and
  /// cleanups, and promises for which these wait.
  ///
  /// Release builds of the library name the context of a queued or running handler only if the link was made while
  /// `Diagnostics.recordsPendingPromises` or a `Recorder` was on. They never name that of the closure of a
  /// ``Promise/init(on:fileID:line:_:)``, nor that of an `alwaysThen` whose handler a cancellation has scheduled.
  ///
  /// May be read from any thread at any time. The promises are read one after the other, so the tree is no snapshot of
  /// one moment. It is cut at 8 links of one chain, at 16 inputs of one combinator, and at 8 combinators above one
  /// another. A cut in a chain leaves out its middle. Once the tree has 100 nodes, no further chain begins.
  ///
  /// - Complexity: O(*n*), where *n* is the number of pending promises above.
  public final var waitsFor: [WaitNode] {
    var survey = WaitSurvey()
    return survey.tree(above: .promise(resolved))
  }
}

extension Finish {
  /// The things that still run.
  var waitsFor: [WaitNode] {
    var survey = WaitSurvey()
    return survey.tree(above: .finish(self))
  }
}

/// Builds the tree of what a promise waits for. Chains are loops, and only combinators are recursion, to a bounded
/// depth.
private struct WaitSurvey {
  private static let mostNodes = 100
  private static let mostInputs = 16
  private static let deepest = 8
  /// The number of links that are shown at each end of a long chain.
  private static let shownLinks = 4

  private var visited: Set<ObjectIdentifier> = []
  /// The identities of the things that have nodes.
  private var shown: Set<ObjectIdentifier> = []
  /// The thing where the tree begins, which has no node.
  private var start: ObjectIdentifier?
  private var count = 0
  private var depth = 0

  /// Notes that a thing is visited. Returns `false` if it was visited before.
  private mutating func visit(_ thing: Awaited) -> Bool { thing.identity.map { visited.insert($0).inserted } ?? true }

  private mutating func show(_ thing: Awaited) {
    if let identity = thing.identity { shown.insert(identity) }
  }

  /// Says where a thing is that was visited before.
  private func placeInTree(of thing: Awaited) -> String {
    guard let identity = thing.identity else { return "shown above" }
    if identity == start { return "where this tree begins" }
    return shown.contains(identity) ? "shown above" : "left out above"
  }

  /// Returns the things for which a thing waits. The tree begins there.
  mutating func tree(above thing: Awaited) -> [WaitNode] {
    start = thing.identity
    _ = visit(thing)
    return nodes(above: thing.waits)
  }

  private mutating func nodes(above waits: OwnWaits) -> [WaitNode] {
    var chain = Chain()
    var waits = waits
    // Follows the chain up to a thing that waits for several others, or for something that is no promise.
    while waits.end == nil, waits.things.count == 1 {
      let next = waits.things[0]
      guard visit(next) else { break }
      waits = next.waits
      chain.append(next, note: waits.note)
      if waits.isEmpty { break }
    }
    let links = chain.shown
    // The links, and what is above the last one.
    count += links.count + 1
    for thing in links { show(thing) }
    return chain.nodes(around: ends(of: waits))
  }

  private mutating func ends(of waits: OwnWaits) -> [WaitNode] {
    if let end = waits.end { return [node(of: end)] }
    if depth == Self.deepest || count >= Self.mostNodes { return waits.isEmpty ? [] : [.omitting("…")] }
    depth += 1
    defer { depth -= 1 }
    var nodes: [WaitNode] = []
    for thing in waits.things.prefix(Self.mostInputs) {
      if count >= Self.mostNodes { break }
      count += 1
      guard visit(thing) else {
        nodes.append(thing.waitNode(note: placeInTree(of: thing)))
        continue
      }
      show(thing)
      let waits = thing.waits
      nodes.append(thing.waitNode(note: waits.note, waitsFor: self.nodes(above: waits)))
    }
    let omitted = waits.things.count - nodes.count
    return omitted > 0 ? nodes + [.omitting("… \(omitted) more")] : nodes
  }

  /// Returns the node of an end, with the operations that have it if it is a resource.
  private mutating func node(of end: WaitEnd) -> WaitNode {
    let node = end.node
    if depth == Self.deepest || count >= Self.mostNodes { return node }
    let holders = end.holders
    if holders.isEmpty { return node }
    depth += 1
    defer { depth -= 1 }
    var nodes: [WaitNode] = []
    for holder in holders.prefix(Self.mostInputs) where count < Self.mostNodes {
      count += 1
      nodes.append(self.node(ofHolder: holder))
    }
    let omitted = holders.count - nodes.count
    return node.waiting(for: omitted > 0 ? nodes + [.omitting("… \(omitted) more")] : nodes)
  }

  /// Returns the node of an operation that has a place.
  private mutating func node(ofHolder holder: AnyPromise) -> WaitNode {
    let place = "the operation inside, run at \(holder.createdAt)"
    var state = "whose result is settled, and which has not ended"
    var nodes: [WaitNode] = []
    if let operation = holder.operationInside {
      let thing = Awaited.promise(operation)
      if visit(thing) {
        show(thing)
        state = "which has not ended"
        nodes = self.nodes(above: thing.waits)
      } else {
        state = "which is \(operation.name), \(operation.origin), \(placeInTree(of: thing))"
      }
    }
    return WaitNode(
      .promise, operation: holder.operation?.name, createdAt: holder.createdAt, summary: "\(place), \(state)",
      waitsFor: nodes)
  }

  /// The links of a chain, without the middle of a long one.
  private struct Chain {
    private typealias Link = (thing: Awaited, note: String?)
    private var first: [Link] = []
    private var last: [Link] = []
    private var count = 0

    mutating func append(_ thing: Awaited, note: String?) {
      count += 1
      if first.count < WaitSurvey.shownLinks { return first.append((thing, note)) }
      last.append((thing, note))
      if last.count > WaitSurvey.shownLinks { last.removeFirst() }
    }

    /// The links that are shown.
    var shown: [Awaited] { (first + last).map(\.thing) }

    /// Returns the node of the first link, with the others above it, and `ends` above the last one.
    func nodes(around ends: [WaitNode]) -> [WaitNode] {
      var nodes = ends
      for link in last.reversed() { nodes = [link.thing.waitNode(note: link.note, waitsFor: nodes)] }
      let omitted = count - first.count - last.count
      if omitted > 0 { nodes = [.omitting("… \(omitted) more \(omitted == 1 ? "link" : "links")", waitsFor: nodes)] }
      for link in first.reversed() { nodes = [link.thing.waitNode(note: link.note, waitsFor: nodes)] }
      return nodes
    }
  }
}

extension WaitNode {
  fileprivate func waiting(for nodes: [WaitNode]) -> WaitNode {
    WaitNode(
      kind, operation: operation, createdAt: createdAt, label: label, age: age, summary: summary, waitsFor: nodes)
  }

  fileprivate static func omitting(_ text: String, waitsFor nodes: [WaitNode] = []) -> WaitNode {
    WaitNode(.omitted, summary: text, waitsFor: nodes)
  }
}

/// The things for which one thing waits itself.
struct OwnWaits {
  var things: [Awaited] = []
  /// The end of the tree, if the promise waits for something that is no promise.
  var end: WaitEnd?
  /// A remark on the promise.
  var note: String?

  var isEmpty: Bool { things.isEmpty && end == nil }
}

extension AnyPromise {
  /// This promise while it is pending, and its finish while it is settled and has not finished. A finish may live
  /// longer than its promise.
  package final var unfinishedWork: AnyObject? { isFinished ? nil : (currentFinish as AnyObject?) ?? self }
}

extension Awaited {
  /// - Parameter work: a promise or a finish.
  fileprivate init?(_ work: AnyObject) {
    if let finish = work as? Finish {
      self = .finish(finish)
    } else if let promise = work as? AnyPromise {
      self = .promise(promise.resolved)
    } else {
      return nil
    }
  }

  @inline(never)
  var waits: OwnWaits {
    switch self {
    case .promise(let promise): promise.ownWaits
    case .finish(let finish): OwnWaits(things: finish.awaited)
    case .hook(_, let promise): OwnWaits(things: [.promise(promise)])
    case .end: OwnWaits()
    }
  }

  @inline(never)
  fileprivate func waitNode(note: String?, waitsFor nodes: [WaitNode] = []) -> WaitNode {
    switch self {
    case .promise(let promise): promise.waitNode(note: note, waitsFor: nodes)
    case .finish(let finish): finish.waitNode(waitsFor: nodes)
    case .hook(let place, _): .hook(at: place, waitsFor: nodes)
    case .end(let end): end.node
    }
  }
}

extension AnyPromise {
  /// The node of this promise in a tree.
  final func waitNode(note: String?, waitsFor nodes: [WaitNode] = []) -> WaitNode {
    let promise = resolved
    let text = "\(promise.name), \(promise.origin)" + (note.map { ", \($0)" } ?? "")
    return WaitNode(
      .promise, operation: promise.operation?.name, createdAt: promise.createdAt, label: promise.label,
      age: promise.age, summary: text, waitsFor: nodes)
  }

  fileprivate final var ownWaits: OwnWaits {
    let state = lock()
    guard state.isPending else {
      unlock(state)
      guard state.isDone else { return OwnWaits() }
      guard let finish = currentFinish else { return OwnWaits(note: "which is settled") }
      return OwnWaits(things: finish.awaited, note: "which is settled and has not finished")
    }
    var waits = OwnWaits()
    var promises: [AnyPromise] = []
    if state.isEntry, state.stage == .waiting || state.stage == .adopting {
      if let source = unsafe link.pointee.source?.strong { promises.append(source) }
      if state.stage == .adopting { waits.note = "whose handler has returned the promise below" }
    }
    let follows = side?.follows ?? []
    let combination = side?.combination
    let object = awaitedObject
    var maker: OwnerMaker?
    if let hook = side?.hooks.first, case .makerCancelled(let made) = hook.action { maker = made }
    unlock(state)
    if state.isEntry { waits.end = unreturnedHandler(settling: self, in: state.stage).map { .handler($0) } }
    let followed = follows.compactMap(\.waitingSource)
    promises += followed
    if !followed.isEmpty {
      waits.note = "whose owner follows the \(followed.count == 1 ? "promise" : "\(followed.count) promises") below"
    }
    if let combination {
      let count = combination.inputs.count
      let pending = combination.inputs.filter(\.isPending)
      promises += pending
      let isQuorum = combination.countNeeded > 1 && combination.countNeeded < count
      waits.note =
        "\(count - pending.count) of \(count) inputs are settled"
        + (isQuorum ? ", \(combination.countNeeded) are needed" : "")
    }
    waits.things = promises.map { .promise($0.resolved) }
    guard waits.isEmpty else { return waits }
    if let finishing = object as? AwaitedFinish {
      waits.things = finishing.awaited
      return waits
    }
    if let resource = object as? any AwaitedResource {
      waits.things = resource.awaitedWork.compactMap { Awaited($0) }
      if waits.things.isEmpty {
        waits.end = .resource(resource, of: self)
      } else {
        waits.note = "which waits for \(resource.name(for: self))"
      }
    } else if let object {
      waits.end = .object(object, of: self)
    } else if let handler = maker?.unreturnedHandler(settling: self) {
      waits.end = .handler(handler)
    } else if !state.isEntry, combination == nil {
      waits.end = .owner(self)
    }
    // A link or a result that waits for nothing is about to be settled by another thread, or below on this one.
    return waits
  }
}

extension AnyPromise {
  /// The promise of the operation that has a place in a gate, below this promise, which was fulfilled when the
  /// operation got its place, or the promise for which that one waited until it was bypassed. `nil` if that promise is
  /// settled.
  final var operationInside: AnyPromise? {
    if case .promise(let operation)? = waiting(atMost: 1).consumers.first { return operation.resolved }
    return (self as? PlacePromise)?.returned?.resolved
  }

  /// The operator that reports name for this pending promise if it has none, and waits for a resource.
  final var resourceMaker: Operation? { (locked { awaitedObject } as? any AwaitedResource)?.maker }

  /// Reports to a recorder the timer, Task or gate for which this promise waits.
  @inline(never)
  final func noteAwaited() {
    guard let resource = locked({ awaitedObject }) as? any AwaitedResource else { return }
    note(.waitsForResource(resource, self))
  }

  /// Reports to a recorder that the operation for which this promise was a place has left its gate, or the queue. Costs
  /// one load while no promise was ever recorded.
  package final func noteLeftGate() { if Diagnostics.hasEnrollments { note(.leftGate) } }
}
