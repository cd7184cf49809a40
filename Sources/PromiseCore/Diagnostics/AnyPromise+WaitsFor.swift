extension AnyPromise {
  /// The things for which this promise waits. Empty if it has finished (rule 2.11).
  ///
  /// The tree leads from this promise to everything that could settle it: through links to their sources, to the
  /// promises that handlers have returned, to the promises that owners follow, and to the pending inputs of
  /// combinators. Its ends are owners that have not settled their promises, handlers that are queued or running, Tasks,
  /// timers, and places in gates. ``WaitNode/roots`` returns these.
  ///
  /// The tree of a settled promise that has not finished leads to what still runs: handlers, Tasks, hooks of owners and
  /// cleanups, and promises for which these wait.
  ///
  /// Release builds of the library name the context of a queued or running handler only while
  /// ``Diagnostics/recordsPendingPromises`` is on.
  ///
  /// May be read from any thread at any time. The promises are read one after the other, so the tree is no snapshot of
  /// one moment. It is cut at 8 links of one chain, at 16 inputs of one combinator, at 8 combinators above one another,
  /// and at 100 nodes. A cut in a chain leaves out its middle.
  ///
  /// - Complexity: O(*n*), where *n* is the number of pending promises above.
  public final var waitsFor: [WaitNode] {
    var survey = WaitSurvey()
    return survey.nodes(above: .promise(resolved))
  }
}

extension Finish {
  /// The things that still run.
  var waitsFor: [WaitNode] {
    var survey = WaitSurvey()
    return survey.nodes(above: .finish(self))
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
  private var count = 0
  private var depth = 0

  /// Notes that a thing is visited. Returns `false` if it was visited before.
  private mutating func visit(_ thing: Awaited) -> Bool { thing.identity.map { visited.insert($0).inserted } ?? true }

  /// Returns the things for which a thing waits.
  mutating func nodes(above thing: Awaited) -> [WaitNode] {
    _ = visit(thing)
    return nodes(above: thing.waits)
  }

  private mutating func nodes(above waits: OwnWaits) -> [WaitNode] {
    var chain = Chain()
    var waits = waits
    // Follows the chain up to a thing that waits for several others, or for something that is no promise.
    while waits.resource == nil, waits.things.count == 1 {
      let next = waits.things[0]
      guard visit(next) else { break }
      waits = next.waits
      chain.append(next, note: waits.note)
      if waits.isEmpty { break }
    }
    count += 1
    return chain.nodes(around: ends(of: waits))
  }

  private mutating func ends(of waits: OwnWaits) -> [WaitNode] {
    if let resource = waits.resource { return [adding(waits.holders, to: resource)] }
    if depth == Self.deepest || count >= Self.mostNodes { return waits.isEmpty ? [] : [.omitting("…")] }
    depth += 1
    defer { depth -= 1 }
    var nodes: [WaitNode] = []
    for thing in waits.things.prefix(Self.mostInputs) {
      if count >= Self.mostNodes { break }
      count += 1
      guard visit(thing) else {
        nodes.append(thing.waitNode(note: "shown above"))
        continue
      }
      let waits = thing.waits
      nodes.append(thing.waitNode(note: waits.note, waitsFor: self.nodes(above: waits)))
    }
    let omitted = waits.things.count - nodes.count
    return omitted > 0 ? nodes + [.omitting("… \(omitted) more")] : nodes
  }

  /// Returns the node of a resource, with the operations that have it.
  private mutating func adding(_ holders: [AnyPromise], to resource: WaitNode) -> WaitNode {
    if holders.isEmpty || depth == Self.deepest || count >= Self.mostNodes { return resource }
    depth += 1
    defer { depth -= 1 }
    var nodes: [WaitNode] = []
    for holder in holders.prefix(Self.mostInputs) where count < Self.mostNodes {
      count += 1
      // The link that runs the operation is below the promise that was fulfilled when it got its place.
      var operation: AnyPromise?
      if case .promise(let promise)? = holder.waiting(atMost: 1).consumers.first { operation = promise }
      let isNew = operation.map { visited.insert(ObjectIdentifier($0)).inserted } ?? false
      let state =
        operation == nil
        ? "whose result is settled, and which has not ended" : isNew ? "which has not ended" : "shown above"
      nodes.append(
        WaitNode(
          .promise, operation: holder.operation?.name, createdAt: holder.createdAt,
          summary: "the operation inside, run at \(holder.createdAt), \(state)",
          waitsFor: isNew ? operation.map { self.nodes(above: .promise($0)) } ?? [] : []))
    }
    let omitted = holders.count - nodes.count
    return resource.waiting(for: omitted > 0 ? nodes + [.omitting("… \(omitted) more")] : nodes)
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

    /// Returns the node of the first link, with the others above it, and `ends` above the last one.
    func nodes(around ends: [WaitNode]) -> [WaitNode] {
      var nodes = ends
      for link in last.reversed() { nodes = [link.thing.waitNode(note: link.note, waitsFor: nodes)] }
      let omitted = count - first.count - last.count
      if omitted > 0 { nodes = [.omitting("… \(omitted) more links", waitsFor: nodes)] }
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
private struct OwnWaits {
  var things: [Awaited] = []
  /// The end of the tree, if the promise waits for something that is no promise.
  var resource: WaitNode?
  /// The promises of the operations that have the resource.
  var holders: [AnyPromise] = []
  /// A remark on the promise.
  var note: String?

  var isEmpty: Bool { things.isEmpty && resource == nil }
}

extension Awaited {
  fileprivate var waits: OwnWaits {
    switch self {
    case .promise(let promise): promise.ownWaits
    case .finish(let finish): OwnWaits(things: finish.awaited)
    case .hook(_, let promise): OwnWaits(things: [.promise(promise)])
    case .end: OwnWaits()
    }
  }

  fileprivate func waitNode(note: String?, waitsFor nodes: [WaitNode] = []) -> WaitNode {
    switch self {
    case .promise(let promise): promise.waitNode(note: note, waitsFor: nodes)
    case .finish(let finish): finish.waitNode(waitsFor: nodes)
    case .hook(let place, _): .hook(at: place, waitsFor: nodes)
    case .end(let node): node
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
    let isHandling = state.isEntry && (state.stage == .scheduled || state.stage == .running)
    if state.isEntry, state.stage == .waiting || state.stage == .adopting {
      if let source = unsafe link.pointee.source?.strong { promises.append(source) }
    }
    let (follows, combination) = (side?.follows ?? [], side?.combination)
    let object = awaitedObject
    var maker: OwnerMaker?
    if let hook = side?.hooks.first, case .makerCancelled(let made) = hook.action { maker = made }
    unlock(state)
    if isHandling { waits.resource = handlerNode(settling: self) }
    promises += follows.compactMap(\.waitingSource)
    if let combination {
      let pending = combination.inputs.filter(\.isPending)
      promises += pending
      waits.note = "\(combination.inputs.count - pending.count) of \(combination.inputs.count) inputs are settled"
    }
    waits.things = promises.map { .promise($0.resolved) }
    guard waits.isEmpty else { return waits }
    if let finishing = object as? AwaitedFinish {
      waits.things = finishing.awaited
      return waits
    }
    let resource = object as? any AwaitedResource
    waits.resource = resource?.waitNode(for: self) ?? maker?.handlerNode(settling: self) ?? ownerNode
    waits.holders = resource?.holders ?? []
    return waits
  }

  /// The node of the handler of this entry, for which a settled promise has not finished. `nil` if the handler has
  /// returned.
  final var handlerNode: WaitNode? {
    let promise = settledByHandler ?? self
    let stage = locked { relaxedState.stage }
    if stage == .ended || stage == .adopting { return nil }
    let place = stage == .waiting ? nil : handlerContext.map { " on \($0.nameInReports)" }
    let state = stage == .waiting ? "has not begun" : stage == .scheduled ? "is queued" : "is running"
    return WaitNode(
      .handler, operation: promise.operation?.name, createdAt: promise.createdAt, label: promise.label,
      summary: "\(handlerName), which \(state)\(place ?? "")")
  }

  /// The handler of this entry in words.
  final var handlerName: String {
    "the \(traits.isOfCleanup ? "cleanup" : "handler") of \((settledByHandler ?? self).origin)"
  }

  /// The node of the handler of this entry. `nil` if the handler has returned.
  private final func handlerNode(settling promise: AnyPromise) -> WaitNode? {
    let state = locked { relaxedState }
    guard state.stage == .scheduled || state.stage == .running else { return nil }
    let place = handlerContext.map { " on \($0.nameInReports)" } ?? ""
    let text = "the handler of \(promise.origin), which is \(state.stage == .scheduled ? "queued" : "running")\(place)"
    return WaitNode(
      .handler, operation: promise.operation?.name, createdAt: promise.createdAt, label: promise.label, summary: text)
  }

  /// The context on which the handler of this entry is queued or running, if it is known.
  private final var handlerContext: (any ExecutionContext)? {
    locked {
      #if DEBUG
        if let context = unsafe link.pointee.debugContext { return context }
      #endif
      return side?.notes?.registration?.context
    }
  }

  private final var ownerNode: WaitNode {
    WaitNode(
      .owner, operation: "Deferred", createdAt: createdAt, label: label, age: age,
      summary: "its owner, made at \(createdAt), which is alive and has not settled it")
  }
}

extension AnyPromise {
  /// Reports to a recorder the timer, Task or gate for which this promise waits.
  @inline(never)
  final func noteAwaited() {
    guard let resource = locked({ awaitedObject }) as? any AwaitedResource else { return }
    note(.waitsForResource(resource, self))
  }

  /// Reports to a recorder that the operation for which this promise was a place has left its gate, or the queue. Costs
  /// one load while no promise was ever recorded.
  package final func noteLeftGate() { if Diagnostics.hasRegistrations { note(.leftGate) } }
}
