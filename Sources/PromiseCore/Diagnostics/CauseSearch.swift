// The search for causes is that of Tarjan for strongly connected components, in a loop instead of recursion. A
// component is closed after everything for which it waits. So the set of its causes is known then, and each promise is
// visited once. Most promises wait for one other, and have its set. Only where several sets meet is a new one made.

/// Finds the distinct causes of waits, and the number of promises behind each.
package struct CauseSearch {
  // A report from a hung process must end. So the search ends after this number of promises and gates, or of steps from
  // one to another and of causes in sets that are united.
  static let mostNodes = 100_000
  static let mostSteps = 1_000_000

  private let mostNodes: Int
  private let mostSteps: Int

  /// A promise, the finish of a promise, or a gate.
  private final class Node {
    let thing: Awaited
    /// The first node that was found waiting for this one.
    let waiter: Int?
    /// The lowest number of a node that this one reaches and that waits for this one.
    var lowest: Int
    /// The set of causes. `nil` as long as the component is open.
    var set: Int?
    /// The sets of the closed components for which this one waits.
    var sets: [Int] = []
    var waitsForItself = false
    /// The things for which this one waits, and that are still to be visited. The next one is the last.
    var unvisited: [Awaited] = []

    init(thing: Awaited, waiter: Int?, lowest: Int) {
      self.thing = thing
      self.waiter = waiter
      self.lowest = lowest
    }
  }

  private final class Found {
    let end: WaitEnd
    let identity: WaitEnd.Identity
    /// The cause that was found before with the same object, and differs in its kind or its hook.
    let previous: Int?
    /// The number of handlers that are queued on the same context.
    var handlers = 1
    /// The nodes that wait for it directly. Of a gate only the first.
    var waiters: [Int] = []
    /// The longest time since one of the handlers was queued.
    var queuedFor: Duration?
    /// The gates that wait for one another, if the cause is one of them.
    var ring: [Int] = []
    /// The set that contains only this cause.
    let set: Int

    init(_ end: WaitEnd, _ identity: WaitEnd.Identity, after previous: Int?, set: Int) {
      self.end = end
      self.identity = identity
      self.previous = previous
      self.set = set
    }
  }

  private var nodes: [Node] = []
  private var numbers: [ObjectIdentifier: Int] = [:]
  /// The nodes on the way from the start.
  private var visits: [Int] = []
  /// The nodes of open components.
  private var open: [Int] = []

  private var found: [Found] = []
  /// The newest cause with each object.
  private var foundNumbers: [ObjectIdentifier: Int] = [:]
  /// Sets of causes, by their numbers, and the number of promises that have each set. The first set is empty.
  private var sets: [Set<Int>] = [[]]
  private var counts: [Int] = [0]
  /// The numbers of the sets with several causes.
  private var unions: [Set<Int>: Int] = [:]
  private var promiseCount = 0
  private var steps = 0
  private var hasEndedEarly = false

  package init() { self.init(mostNodes: Self.mostNodes) }

  init(mostNodes: Int, mostSteps: Int = Self.mostSteps) {
    self.mostNodes = mostNodes
    self.mostSteps = mostSteps
  }

  /// Visits a promise, and everything for which it waits, unless it was visited before.
  ///
  /// - Returns: a number that promises with the same causes have in common.
  @discardableResult
  package mutating func visit(_ promise: EnrolledPromise) -> Int { visit(promise.awaited) }

  /// Visits a promise or a finish, and everything for which it waits, unless it was visited before.
  ///
  /// - Returns: a number that promises with the same causes have in common.
  @discardableResult
  mutating func visit(_ thing: Awaited) -> Int {
    begin(thing)
    while let last = visits.last {
      if !hasEndedEarly, let next = nodes[last].unvisited.popLast() {
        step()
        begin(next)
      } else {
        visits.removeLast()
        end(last)
      }
    }
    return thing.identity.flatMap { numbers[$0] }.flatMap { nodes[$0].set } ?? 0
  }

  private mutating func step(_ count: Int = 1) {
    steps += count
    if steps > mostSteps { hasEndedEarly = true }
  }

  /// Begins to visit a thing for which the last node on the way waits, if there is one.
  private mutating func begin(_ thing: Awaited) {
    switch thing {
    case .hook(_, let promise): begin(.promise(promise))
    case .promise, .finish: if let identity = thing.identity { begin(thing, identity) }
    case .end(let end): begin(end)
    }
  }

  private mutating func begin(_ end: WaitEnd) {
    if case .resource(let resource, _) = end { return begin(.end(end), ObjectIdentifier(resource.sharedResource)) }
    guard let last = visits.last else { return }
    let number = number(of: end)
    found[number].waiters.append(last)
    nodes[last].sets.append(found[number].set)
  }

  private mutating func begin(_ thing: Awaited, _ identity: ObjectIdentifier) {
    if let known = numbers[identity] { return connect(to: known) }
    if nodes.count >= mostNodes {
      hasEndedEarly = true
      return
    }
    let number = nodes.count
    numbers[identity] = number
    nodes.append(Node(thing: thing, waiter: visits.last, lowest: number))
    open.append(number)
    visits.append(number)
    // Reversed, because the last one is visited first.
    if case .end(let end) = thing {
      nodes[number].unvisited = operations(in: end, number).reversed()
    } else {
      promiseCount += 1
      let waits = thing.waits
      nodes[number].unvisited = waits.things.reversed()
      if let end = waits.end { begin(end) }
    }
  }

  /// Returns the operations that have a resource, which is a cause unless each of them waits for something else.
  private mutating func operations(in end: WaitEnd, _ node: Int) -> [Awaited] {
    guard case .resource(let resource, _) = end else { return [] }
    let holders = resource.holders
    step(holders.count)
    let operations = holders.compactMap(\.operationInside)
    if holders.isEmpty || operations.count < holders.count || resource.sharedResource.isItselfCause {
      nodes[node].sets.append(found[number(of: end, at: node)].set)
    }
    return operations.map { .promise($0) }
  }

  /// The last node on the way waits for a known node.
  private mutating func connect(to known: Int) {
    guard let last = visits.last else { return }
    if let set = nodes[known].set {
      if nodes[last].sets.last != set { nodes[last].sets.append(set) }
    } else {
      nodes[last].lowest = min(nodes[last].lowest, nodes[known].lowest)
      if known == last { nodes[last].waitsForItself = true }
    }
  }

  /// Ends the visit of a node. Closes its component if the node was the first of it.
  private mutating func end(_ node: Int) {
    if nodes[node].lowest == node, let start = open.lastIndex(of: node) {
      // An array of its own, because a slice would make the removal copy all open nodes.
      let component = Array(open[start...])
      open.removeSubrange(start...)
      close(component)
    }
    guard let last = visits.last else { return }
    if nodes[node].set == nil {
      nodes[last].lowest = min(nodes[last].lowest, nodes[node].lowest)
    } else {
      connect(to: node)
    }
  }

  private mutating func close(_ component: [Int]) {
    var below = component.flatMap { nodes[$0].sets }
    if component.count > 1 || nodes[component[0]].waitsForItself { below += causes(ofRing: component) }
    let set = union(of: below)
    for node in component {
      nodes[node].sets = []
      nodes[node].set = set
      if case .end = nodes[node].thing { continue }
      counts[set] += 1
    }
  }

  /// Returns the sets of the gates in a component whose nodes wait for one another. If no gate is among them, the set
  /// of the first promise, or of a hook if all promises were deallocated.
  private mutating func causes(ofRing component: [Int]) -> [Int] {
    var gates: [Int] = []
    for node in component {
      if case .end(let end) = nodes[node].thing { gates.append(number(of: end, at: node)) }
    }
    if gates.isEmpty { return [cause(ofRing: component)] }
    for gate in gates { found[gate].ring = gates }
    return gates.map { found[$0].set }
  }

  /// Returns the set of the cause in a ring without gates.
  private mutating func cause(ofRing component: [Int]) -> Int {
    for node in component {
      guard case .promise(let promise) = nodes[node].thing else { continue }
      return set(of: .ring(promise), awaitedBy: node)
    }
    guard case .finish(let finish) = nodes[component[0]].thing else { return 0 }
    return set(of: .hook(nil, of: finish), awaitedBy: component[0])
  }

  /// Returns the set of a cause for which a node waits.
  private mutating func set(of end: WaitEnd, awaitedBy node: Int) -> Int {
    let number = number(of: end)
    found[number].waiters = [node]
    return found[number].set
  }

  private mutating func union(of numbers: [Int]) -> Int {
    var distinct = Set(numbers)
    distinct.remove(0)
    // Among equals the first, so that two reports can be compared.
    guard let largest = distinct.max(by: { (sets[$0].count, $1) < (sets[$1].count, $0) }) else { return 0 }
    // After the end, each promise on the way would get a set of its own, as large as all before it.
    if distinct.count == 1 || hasEndedEarly { return largest }
    var all = sets[largest]
    for number in distinct where number != largest {
      step(sets[number].count)
      all.formUnion(sets[number])
    }
    if all.count == sets[largest].count { return largest }
    step(all.count)
    if let number = unions[all] { return number }
    let number = add(all)
    unions[all] = number
    return number
  }

  private mutating func add(_ set: Set<Int>) -> Int {
    sets.append(set)
    counts.append(0)
    return sets.count - 1
  }

  /// Returns the number of the cause that is this end.
  ///
  /// - Parameter node: the node of a gate.
  private mutating func number(of end: WaitEnd, at node: Int? = nil) -> Int {
    let identity = end.identity
    let queuedFor = end.queuedFor
    let newest = foundNumbers[identity.object]
    var known = newest
    while let number = known {
      let cause = found[number]
      if cause.identity == identity {
        cause.handlers += 1
        if let queuedFor { cause.queuedFor = max(queuedFor, cause.queuedFor ?? .zero) }
        return number
      }
      known = cause.previous
    }
    let number = found.count
    foundNumbers[identity.object] = number
    let new = Found(end, identity, after: newest, set: add([number]))
    if let waiter = node.flatMap({ nodes[$0].waiter }) { new.waiters = [waiter] }
    new.queuedFor = queuedFor
    found.append(new)
    return number
  }

  // MARK: The result

  package var causes: WaitCauses {
    let (order, counts) = order
    return causes(order.prefix(WaitCauses.mostCauses), counts, omitting: order.count - WaitCauses.mostCauses)
  }

  /// The causes, and for each of them the numbers of what waits for it: of each thing that waits directly, or of the
  /// next on the way from the start that has a number. Of a gate only the first.
  func causesAndWaiters(numbers: [ObjectIdentifier: Int]) -> (causes: WaitCauses, waiters: [[Int]]) {
    let (order, counts) = order
    let shown = order.prefix(WaitCauses.mostCauses)
    let waiters = shown.map { cause in
      var known: Set<Int> = []
      return found[cause].waiters.compactMap { number(from: $0, in: numbers) }.filter { known.insert($0).inserted }
    }
    return (causes(shown, counts, omitting: order.count - WaitCauses.mostCauses), waiters)
  }

  private func number(from node: Int, in numbers: [ObjectIdentifier: Int]) -> Int? {
    var next: Int? = node
    while let node = next {
      if let number = nodes[node].thing.identity.flatMap({ numbers[$0] }) { return number }
      next = nodes[node].waiter
    }
    return nil
  }

  /// The causes in the order in which they are shown, and the number of promises behind each.
  private var order: (order: [Int], counts: [Int]) {
    var promises = [Int](repeating: 0, count: found.count)
    for (set, count) in zip(sets, counts) where count > 0 { for cause in set { promises[cause] += count } }
    // A stable order: among equals, the first found is the first.
    return (frontingPlaces(found.indices.sorted { (promises[$1], $0) < (promises[$0], $1) }), promises)
  }

  @inline(never)
  private func causes(_ shown: ArraySlice<Int>, _ counts: [Int], omitting omitted: Int) -> WaitCauses {
    WaitCauses(
      shown.map { cause(found[$0], behind: max(1, counts[$0])) }, omittedCount: max(0, omitted),
      promiseCount: promiseCount, isComplete: !hasEndedEarly)
  }

  /// Moves the fifth and later causes of one place to the end. Otherwise thousands of requests that one line has made
  /// would hide everything else.
  private func frontingPlaces(_ causes: [Int]) -> [Int] {
    var counts: [UInt: Int] = [:]
    var first: [Int] = []
    var others: [Int] = []
    for cause in causes {
      let place = UInt(found[cause].end.site.bits)
      counts[place, default: 0] += 1
      if counts[place, default: 0] <= 4 { first.append(cause) } else { others.append(cause) }
    }
    return first + others
  }

  private func cause(_ found: Found, behind promiseCount: Int) -> WaitCause {
    let node = found.end.node
    var hasher = Hasher()
    hasher.combine(found.identity.kind)
    hasher.combine(found.identity.object)
    hasher.combine(found.identity.hook)
    return WaitCause(
      id: String(UInt(bitPattern: hasher.finalize()), radix: 16), kind: node.kind, operation: node.operation,
      createdAt: node.createdAt, label: node.label.map { shorteningURLs(in: $0) }, age: node.age ?? found.end.age,
      queuedFor: found.queuedFor,
      summary: found.end.causeSummary(handlers: found.handlers) + ring(of: found), promiseCount: promiseCount)
  }

  /// Describes the ring of gates that a gate is in.
  private func ring(of gate: Found) -> String {
    if gate.ring.isEmpty { return "" }
    let others = gate.ring.map { found[$0] }.filter { $0 !== gate }
    if others.isEmpty { return ", and an operation inside waits for a place in the same gate" }
    let names = others.prefix(3).compactMap(\.end.gateName).joined(separator: ", and in ")
    let more = others.count > 3 ? ", and in \(others.count - 3) more gates" : ""
    return ", and an operation inside waits for a place in \(names)\(more), where an operation waits for this gate"
  }
}
