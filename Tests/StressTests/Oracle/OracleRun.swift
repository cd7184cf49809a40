import TestSupport

/// A random program that is performed by promises and by the oracle, step by step.
struct OracleRun {
  private let oracle = Oracle()
  private var random: Seeded
  private var owners: [Int: Deferred<Int>] = [:]
  private var promises: [Int: Promise<Int>] = [:]
  private let context: ManualContext
  private let hookContext = ManualContext()
  private let log = Log<(handler: Int, input: Sight)>()
  private let hookRuns = Log<Int>()
  private var countSeen = 0
  private(set) var steps: [String] = []
  /// The numbers of observers begin here, and those of links are smaller.
  private static let firstObserver = 1_000_000

  init(seed: UInt64) {
    random = Seeded(seed)
    context = ManualContext(isGrouping: seed % 2 == 0)
  }

  /// Performs a program. Returns a description of the first difference.
  mutating func difference(steps count: Int) -> String? {
    for _ in 0..<count {
      performStep()
      if let difference = difference() { return difference }
    }
    repeat { steps.append("run") } while run() && difference() == nil
    return difference() ?? unrunHandler()
  }

  // MARK: Steps

  private mutating func performStep() {
    switch Int.random(in: 0..<22, using: &random) {
    case 0, 1: make()
    case 2...8: held().map { link(to: $0) }
    case 9: held().map { observe($0) }
    case 10, 11: owned().map { settle($0, .success(steps.count)) }
    case 12: owned().map { settle($0, .failure(TestError(steps.count))) }
    case 13, 14: held().map { cancel($0) }
    case 15: if let owner = owned(), let other = held() { follow(owner, other) }
    case 16: if Int.random(in: 0..<3, using: &random) == 0 { owned().map { dropOwner($0) } }
    case 17: held().map { drop($0) }
    default:
      steps.append("run")
      run()
    }
  }

  private mutating func owned() -> Int? { owners.keys.sorted().randomElement(using: &random) }
  private mutating func held() -> Int? { promises.keys.sorted().randomElement(using: &random) }

  private mutating func make() {
    let node = oracle.make()
    steps.append("make \(node.number)")
    let owner = Deferred<Int>(line: UInt(node.number))
    if Bool.random(using: &random) {
      node.hooks = 1
      owner.onCancel(on: hookContext) { [hookRuns, number = node.number] _ in hookRuns.append(number) }
    }
    owners[node.number] = owner
    promises[node.number] = owner.promise
  }

  private mutating func link(to source: Int) {
    guard let promise = promises[source] else { return }
    let number = oracle.nodes.count
    let kind = Oracle.Kind.allCases.randomElement(using: &random) ?? .map
    let deed = kind == .then ? held() ?? source : Int.random(in: 1...1_000, using: &random)
    steps.append("\(number) = \(kind) of \(source), deed \(deed)")
    oracle.link(kind, of: oracle.nodes[source], deed: deed)
    let other = promises[deed]
    let line = UInt(number)
    promises[number] =
      switch kind {
      case .map:
        promise.map(on: context, line: line) { [log] in
          log.append((number, .value($0)))
          if deed % 5 == 0 { throw TestError(deed) }
          return deed
        }
      case .then:
        promise.then(on: context, line: line) { [log] in
          log.append((number, .value($0)), returning: other ?? .fulfilled(0))
        }
      case .recover:
        promise.recover(on: context, line: line) { [log] in log.append((number, .failure(.init($0))), returning: deed) }
      case .catch:
        promise.catch(on: context, line: line) { [log] in log.append((number, .failure(.init($0)))) }
      case .always: promise.always(on: context, line: line) { [log] in log.append((number, Sight($0))) }
      case .shield: promise.shielded(line: line)
      }
  }

  private mutating func observe(_ number: Int) {
    guard let promise = promises[number] else { return }
    let kind = Int.random(in: 0..<3, using: &random)
    steps.append("observer \(kind) of \(number)")
    let observer =
      Self.firstObserver + oracle.observe(oracle.nodes[number], value: kind != 1, error: kind != 0)
    switch kind {
    case 0: promise.onFulfilled(on: context) { [log] in log.append((observer, .value($0))) }
    case 1: promise.onRejected(on: context) { [log] in log.append((observer, .failure(.init($0)))) }
    default: promise.onSettled(on: context) { [log] in log.append((observer, Sight($0))) }
    }
  }

  private mutating func settle(_ number: Int, _ result: Result<Int, TestError>) {
    steps.append("settle \(number) with \(result)")
    switch result {
    case .success(let value):
      oracle.settle(oracle.nodes[number], .value(value))
      owners[number]?.fulfill(value)
    case .failure(let error):
      oracle.settle(oracle.nodes[number], .failure(.test(error.number), isCancelled: false))
      owners[number]?.reject(error)
    }
  }

  private mutating func cancel(_ number: Int) {
    let goesUp = Bool.random(using: &random)
    steps.append("cancel \(number)" + (goesUp ? " upstream" : ""))
    oracle.cancel(oracle.nodes[number], because: steps.count, upstream: goesUp)
    promises[number]?.cancel(reason: TestError(steps.count), upstream: goesUp)
  }

  private mutating func follow(_ number: Int, _ other: Int) {
    guard let promise = promises[other] else { return }
    steps.append("\(number) follows \(other)")
    oracle.follow(oracle.nodes[number], oracle.nodes[other])
    owners[number]?.follow(promise)
  }

  private mutating func dropOwner(_ number: Int) {
    steps.append("drop the owner of \(number)")
    oracle.dropOwner(of: oracle.nodes[number])
    owners[number] = nil
  }

  /// Not the promise of a `then`, which the library may bypass (rule 3.3).
  private mutating func drop(_ number: Int) {
    guard oracle.nodes[number].kind != .then else { return }
    steps.append("drop \(number)")
    promises[number] = nil
  }

  /// Runs the oldest job. Returns `false` if there was none.
  @discardableResult
  private func run() -> Bool { context.step() }

  // MARK: Comparing

  /// Tells the oracle which handlers have run, and compares all promises.
  private mutating func difference() -> String? {
    hookContext.runUntilIdle()
    let ran = log.entries
    defer { countSeen = ran.count }
    for (handler, input) in ran.dropFirst(countSeen) {
      if let difference = finish(handler, input) { return difference }
    }
    for node in oracle.nodes {
      if let promise = promises[node.number], let difference = difference(node, promise) { return difference }
      let runs = hookRuns.entries.count { $0 == node.number }
      if runs != node.hookRuns { return "the hook of \(node.number) has run \(runs) times, not \(node.hookRuns)" }
    }
    return nil
  }

  private func difference(_ node: Oracle.Node, _ promise: Promise<Int>) -> String? {
    let outcome = Outcome(promise)
    if outcome == node.outcome { return nil }
    let (found, expected) = (outcome.map { "\($0)" } ?? "pending", node.outcome.map { "\($0)" } ?? "pending")
    return "\(node.number) is \(found), not \(expected)"
  }

  private func finish(_ handler: Int, _ input: Sight) -> String? {
    if handler >= Self.firstObserver {
      let observer = oracle.observers[handler - Self.firstObserver]
      defer { observer.handler = .over }
      let isRight = observer.handler == .queued && observer.input.map(Sight.init) == input
      return isRight ? nil : "observer \(handler - Self.firstObserver) has run with \(input)"
    }
    let node = oracle.nodes[handler]
    guard node.handler == .queued, node.input.map(Sight.init) == input else {
      return "the handler of \(handler) has run with \(input)"
    }
    oracle.finish(node)
    return nil
  }

  private func unrunHandler() -> String? {
    if let node = oracle.nodes.first(where: { $0.handler == .queued }) { return "\(node.number) has never run" }
    return oracle.observers.firstIndex { $0.handler == .queued }.map { "observer \($0) has never run" }
  }
}
