// The search for causes is that of Tarjan for strongly connected components, in a loop instead of recursion. A component
// is closed after everything for which it waits. So the set of its causes is known then, and each promise is visited
// once. Most promises wait for one other, and have its set. Only where several sets meet is a new one made.

/// Finds the distinct causes of waits, and the number of promises behind each.
struct CauseSearch {
  // A report from a hung process must end. So the search ends after this number of promises and gates, or of steps from
  // one to another and of causes in sets that are united.
  static let mostNodes = 100_000
  static let mostSteps = 1_000_000

  private let mostNodes: Int
  private let mostSteps: Int

  /// A promise, the finish of a promise, or a gate.
  private struct Node {
    let thing: Awaited
    /// The lowest number of a node that this one reaches and that waits for this one.
    var lowest: Int
    /// The set of causes. `nil` as long as the component is open.
    var set: Int?
    /// The sets of the closed components for which this one waits.
    var sets: [Int] = []
    var waitsForItself = false
  }

  private struct Visit {
    let node: Int
    var things: [Awaited]
  }

  private struct Found {
    let key: Key
    let end: WaitEnd
    /// The number of handlers that are queued on the same context.
    var handlers = 1
    /// The gates that wait for one another, if the cause is one of them.
    var ring: [Int] = []
    /// The set that contains only this cause.
    let set: Int
  }

  /// The identity of a cause.
  private struct Key: Hashable {
    let kind: WaitNode.Kind
    let object: ObjectIdentifier
    var hook: CreationSite?
  }

  private var nodes: [Node] = []
  private var numbers: [ObjectIdentifier: Int] = [:]
  /// The nodes on the way from the start.
  private var visits: [Visit] = []
  /// The nodes of open components.
  private var open: [Int] = []

  private var found: [Found] = []
  private var foundNumbers: [Key: Int] = [:]
  /// Sets of causes, by their numbers, and the number of promises that have each set. The first set is empty.
  private var sets: [Set<Int>] = [[]]
  private var counts: [Int] = [0]
  /// The numbers of the sets with several causes.
  private var unions: [Set<Int>: Int] = [:]
  private var promiseCount = 0
  private var steps = 0
  private var hasEndedEarly = false

  init(mostNodes: Int = Self.mostNodes, mostSteps: Int = Self.mostSteps) {
    self.mostNodes = mostNodes
    self.mostSteps = mostSteps
  }

  /// Visits a promise or a finish, and everything for which it waits, unless it was visited before.
  ///
  /// - Returns: a number that promises with the same causes have in common.
  @discardableResult
  mutating func visit(_ thing: Awaited) -> Int {
    begin(thing)
    while let last = visits.indices.last {
      if !hasEndedEarly, let next = visits[last].things.popLast() {
        step()
        begin(next)
      } else {
        end(visits.removeLast().node)
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
    if let last = visits.last?.node { nodes[last].sets.append(found[number(of: end)].set) }
  }

  private mutating func begin(_ thing: Awaited, _ identity: ObjectIdentifier) {
    if let known = numbers[identity] { return connect(to: known) }
    if nodes.count >= mostNodes {
      hasEndedEarly = true
      return
    }
    let number = nodes.count
    numbers[identity] = number
    nodes.append(Node(thing: thing, lowest: number))
    open.append(number)
    if case .end(let end) = thing {
      visits.append(Visit(node: number, things: operations(in: end, number).reversed()))
    } else {
      promiseCount += 1
      let waits = thing.waits
      // Reversed, because the last one is visited first.
      visits.append(Visit(node: number, things: waits.things.reversed()))
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
      nodes[node].sets.append(found[number(of: end)].set)
    }
    return operations.map { .promise($0) }
  }

  /// The last node on the way waits for a known node.
  private mutating func connect(to known: Int) {
    guard let last = visits.last?.node else { return }
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
    guard let last = visits.last?.node else { return }
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

  /// Returns the sets of the gates in a component whose nodes wait for one another, or of one promise if no gate is
  /// among them.
  private mutating func causes(ofRing component: [Int]) -> [Int] {
    var gates: [Int] = []
    for node in component {
      if case .end(let end) = nodes[node].thing { gates.append(number(of: end)) }
    }
    if gates.isEmpty, case .promise(let promise) = nodes[component[0]].thing {
      return [found[number(of: .ring(promise))].set]
    }
    for gate in gates { found[gate].ring = gates }
    return gates.map { found[$0].set }
  }

  private mutating func union(of numbers: [Int]) -> Int {
    let distinct = Set(numbers).subtracting([0])
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
  private mutating func number(of end: WaitEnd) -> Int {
    let (kind, object, hook) = end.identity
    let key = Key(kind: kind, object: object, hook: hook)
    if let number = foundNumbers[key] {
      found[number].handlers += 1
      return number
    }
    let number = found.count
    foundNumbers[key] = number
    found.append(Found(key: key, end: end, set: add([number])))
    return number
  }

  // MARK: The result

  var causes: WaitCauses {
    var promises = [Int](repeating: 0, count: found.count)
    for (set, count) in zip(sets, counts) where count > 0 { for cause in set { promises[cause] += count } }
    // A stable order: among equals, the first found is the first.
    let order = frontingPlaces(found.indices.sorted { (promises[$1], $0) < (promises[$0], $1) })
    let shown = order.prefix(WaitCauses.mostCauses).map { cause(found[$0], behind: max(1, promises[$0])) }
    return WaitCauses(
      shown, omittedCount: order.count - shown.count, promiseCount: promiseCount, isComplete: !hasEndedEarly)
  }

  /// Moves the fifth and later causes of one place to the end. Otherwise thousands of requests that one line has made
  /// would hide everything else.
  private func frontingPlaces(_ causes: [Int]) -> [Int] {
    struct Place: Hashable {
      let kind: WaitNode.Kind
      let site: UInt64
    }
    var counts: [Place: Int] = [:]
    var first: [Int] = []
    var others: [Int] = []
    for cause in causes {
      let place = Place(kind: found[cause].key.kind, site: found[cause].end.site.bits)
      counts[place, default: 0] += 1
      if counts[place, default: 0] <= 4 { first.append(cause) } else { others.append(cause) }
    }
    return first + others
  }

  private func cause(_ found: Found, behind promiseCount: Int) -> WaitCause {
    let node = found.end.node
    var hasher = Hasher()
    hasher.combine(found.key)
    return WaitCause(
      id: String(UInt(bitPattern: hasher.finalize()), radix: 16), kind: node.kind, operation: node.operation,
      createdAt: node.createdAt, label: node.label.map { shorteningURLs(in: $0) }, age: node.age ?? found.end.age,
      summary: found.end.causeSummary(handlers: found.handlers) + ring(of: found), promiseCount: promiseCount)
  }

  /// Describes the ring of gates that a gate is in.
  private func ring(of gate: Found) -> String {
    if gate.ring.isEmpty { return "" }
    let others = gate.ring.map { found[$0] }.filter { $0.key != gate.key }
    if others.isEmpty { return ", and an operation inside waits for a place in the same gate" }
    let names = others.prefix(3).compactMap(\.end.gateName).joined(separator: ", and in ")
    let more = others.count > 3 ? ", and in \(others.count - 3) more gates" : ""
    return ", and an operation inside waits for a place in \(names)\(more), where an operation waits for this gate"
  }
}

extension WaitEnd {
  /// The identity of the cause: its kind, the object and the place of a hook.
  fileprivate var identity: (WaitNode.Kind, ObjectIdentifier, CreationSite?) {
    switch self {
    case .owner(let promise): (.owner, ObjectIdentifier(promise), nil)
    case .ring(let promise): (.promise, ObjectIdentifier(promise), nil)
    case .handler(let handler): (.handler, handler.causeIdentity, nil)
    case .resource(let resource, _): (.gate, ObjectIdentifier(resource.sharedResource), nil)
    case .object(let object, _): (.timer, ObjectIdentifier(object), nil)
    case .task(let task, _): (.task, ObjectIdentifier(task), nil)
    case .hook(let place, let finish): (.hook, ObjectIdentifier(finish), place?.site)
    }
  }

  /// The place where it was made, or where a promise was made that waits for it.
  fileprivate var site: Site {
    switch self {
    case .owner(let promise), .ring(let promise), .resource(_, let promise), .object(_, let promise): promise.site
    case .handler(let handler): handler.promise.site
    case .task(_, let finish), .hook(_, let finish): finish.subject.site
    }
  }

  fileprivate var age: Duration? {
    switch self {
    case .owner(let promise), .ring(let promise), .resource(_, let promise), .object(_, let promise): promise.age
    case .handler(let handler): handler.promise.age
    case .task(_, let finish), .hook(_, let finish): finish.age
    }
  }

  fileprivate var gateName: String? {
    guard case .resource(let resource, let promise) = self else { return nil }
    return resource.sharedResource.causeName(for: promise)
  }

  /// Describes the end apart from the promise that waits for it.
  ///
  /// - Parameter handlers: the number of handlers that have this cause.
  fileprivate func causeSummary(handlers: Int) -> String {
    switch self {
    case .owner(let promise):
      "the owner of \(promise.name) made at \(promise.createdAt), which is alive and has not settled it"
    case .handler(let handler): handler.causeSummary(count: handlers)
    case .resource(let resource, let promise): resource.sharedResource.causeSummary(for: promise)
    case .object(let object, let promise):
      "the timer of \(promise.name), \(withArticle("\(type(of: object))")), set at \(promise.createdAt)"
    case .task(let task, let finish): task.causeSummary(of: finish)
    case .hook, .ring: node.summary
    }
  }
}
