/// What promises must do, written from `Docs/Semantics.md` as plainly as possible: numbers, and no links.
///
/// A call is a few actions of its thread, each of which happens at once: to settle one promise, to fire one handler, to cancel
/// one promise. Between those of one thread those of others may come; a program of one thread takes them one after the other.
struct Model: Hashable {
  struct Node: Hashable {
    var outcome: Outcome?
    /// Its handlers are being fired, or have been; who settles it has nothing more to do for it.
    var isPublished = false
    var isClosed = false
    /// Cancelled consumers that have yet to leave it.
    var leaving = 0
    var isCancelledByCall = false
    var settler = 0
    var hasOwner = false
    /// The program has a reference to it.
    var isHeld = true
    /// What it has adopted, or follows, and still waits for.
    var follows: [Int] = []
    /// What it is a child of (rule 4.0), also when it is settled.
    var above: [Int] = []
    /// One call has settled both, and no order is promised: it is a child of these if they were the first.
    var perhapsAbove: [Int] = []
    /// The handler that makes its outcome.
    var producer: Int?
    var hooks: [Int] = []
    var countOfHooks = 0
    /// Rule 4.2, in parentheses: it may be passed over.
    var mayBePassedOver = false
    /// Settled by a cancel or because a ring was broken, and not by one of those that it follows: it stays below those that are settled.
    var isCutOff = false
  }

  struct Handler: Hashable {
    enum State: Hashable {
      case waiting
      /// What it will be shown, by a cancel that has yet to enqueue it.
      case decided(Sight)
      case ready(Sight)
      case started(Sight)
      case gone
    }

    let kind: Kind
    let source: Int?
    let target: Int?
    let context: Int
    let deed: Step.Deed
    /// How many were attached before.
    let order: Int
    var state = State.waiting
    /// Enqueued by a cancel, and not by its own promise (rule 2.5).
    var isEnqueuedByCancel = false
  }

  enum Action: Hashable {
    /// The outcome of a promise passes to another, by a link or to an adopter.
    case pass(to: Int, from: Int)
    case publish(Int)
    case fire(Int)
    case cancel(Int, Int)
    case descend(Int, Int)
    /// Left here by another thread that cancels (rule 4.3).
    case request(Int, Int)
    /// Somebody who waited for it was cancelled.
    case leave(Int, Int)
    /// Somebody who was derived from it was abandoned.
    case rise(Int, Int)
    /// The promise of a handler was cancelled.
    case withdraw(Int)
    case enqueue(Int)
    /// The handler has done its `first`, and returns.
    case finish(Int)
    /// The `first` of a handler.
    case inner(Int)
    case breakRing(Int)
    /// All that the settlement of a promise brought about at once has been done.
    case close(Int)

    var goesUp: Bool { if case .rise = self { true } else { false } }

    var isClose: Bool { if case .close = self { true } else { false } }

    var belongsToCancel: Bool {
      switch self {
      case .cancel, .descend, .leave, .withdraw: true
      default: false
      }
    }
  }

  /// A call of `cancel` or `abandon`.
  struct Call: Hashable {
    let reason: Outcome
    /// Abandoned promises: what these were waiting for is left too (rule 4.6).
    var abandoned: Set<Int> = []
    var visited: Set<Int> = []
    /// What cancelled promises had adopted, or were derived from and left alone.
    var askedAfter: Set<Int> = []
    var leftAlone: Set<Int> = []
  }

  var nodes: [Node] = []
  var handlers: [Handler] = []
  var countOfAttached = 0
  var calls: [Call] = []
  /// For each thread what it has to do, innermost call last.
  var todo: [[[Action]]]
  /// What can be seen of the step.
  var events: [Event] = []
  /// The contract leaves open how the last step ended: one event reached a promise on two ways that end differently, and no order
  /// is promised between different promises.
  var dependsOnOrder = false
  /// Likewise: a promise may have been passed over (rule 4.2, in parentheses).
  var mayHavePassedOver = false
  var isAmbiguous: Bool { dependsOnOrder || mayHavePassedOver }
  /// Who waited for what when something else settled it, in this step.
  var left: [Wait] = []

  struct Wait: Hashable {
    let promise: Int
    let source: Int
  }

  /// The numbers of what a thread makes next, if several make promises and handlers at the same time.
  var places: [Place?]

  struct Place: Hashable {
    var promise: Int
    var handler: Int
  }

  init(threads: Int = 1) {
    todo = Array(repeating: [], count: threads)
    places = Array(repeating: nil, count: threads)
  }
}

// MARK: - Who waits for whom

extension Model {
  func isPending(_ promise: Int) -> Bool { nodes[promise].outcome == nil }

  /// The promise that this one was derived from, if it still waits for it.
  func source(of promise: Int) -> Int? {
    guard isPending(promise), let producer = nodes[promise].producer, handlers[producer].state == .waiting else {
      return nil
    }
    return handlers[producer].source
  }

  /// Rule 4.0.
  func hasConsumers(_ promise: Int) -> Bool {
    handlers.contains { handler in
      guard handler.source == promise, handler.state == .waiting else { return false }
      return handler.target.map(isPending) ?? true
    } || nodes[promise].leaving > 0 || nodes.contains { $0.outcome == nil && $0.follows.contains(promise) }
  }

  /// Whether a promise waits for another, or is it (rule 3.2).
  func reaches(_ promise: Int, _ other: Int) -> Bool {
    if promise == other { return true }
    guard isPending(promise) else { return false }
    return source(of: promise).map { reaches($0, other) } ?? false
      || nodes[promise].follows.contains { reaches($0, other) }
  }
}

// MARK: - Settling

extension Model {
  /// `via`: the outcome is that of this promise.
  @discardableResult
  mutating func settle(_ promise: Int, _ outcome: Outcome, via source: Int? = nil, on thread: Int) -> Bool {
    guard isPending(promise) else { return false }
    noteWhatIsLeft(by: promise)
    let others = nodes[promise].follows.compactMap { nodes[$0].outcome }
    if others.contains(where: { $0 != outcome }) { dependsOnOrder = true }
    nodes[promise].outcome = outcome
    nodes[promise].settler = thread
    leaveAbove(by: promise, settledBy: source)
    nodes[promise].follows = []
    noteLateOutcome(of: promise)
    add(.publish(promise), on: thread)
    return true
  }

  /// Rule 4.0: what is pending still, and what it followed in vain, is above it no longer.
  private mutating func leaveAbove(by promise: Int, settledBy source: Int?) {
    let node = nodes[promise]
    if node.isCutOff, node.above.count > 1 { nodes[promise].perhapsAbove = node.follows }
    for (other, perhaps) in nodes.enumerated() where left.contains(Wait(promise: other, source: promise)) {
      if !perhaps.perhapsAbove.contains(promise) { nodes[other].perhapsAbove.append(promise) }
    }
    nodes[promise].above = node.above.filter { above in
      above == source
        || above != promise && !isPending(above) && (node.isCutOff || !node.follows.contains(above))
    }
  }

  /// See `dependsOnOrder`.
  private mutating func noteLateOutcome(of promise: Int) {
    guard let outcome = nodes[promise].outcome else { return }
    if left.contains(where: { $0.source == promise && nodes[$0.promise].outcome != outcome }) { dependsOnOrder = true }
  }

  private mutating func noteWhatIsLeft(by promise: Int) {
    left += nodes[promise].follows.map { Wait(promise: promise, source: $0) }
    if let source = source(of: promise) { left.append(Wait(promise: promise, source: source)) }
  }

  /// The owner asks for it, or a handler has returned the other.
  mutating func adopt(_ promise: Int, _ other: Int, on thread: Int) {
    if reaches(other, promise) {
      // Who waited for it waits for the other then, and so perhaps for itself: the ring has another name.
      if canBePassedOver(promise) { mayHavePassedOver = true }
      // Its owner may be quicker, and so may a cancel that comes down from the other: to have followed is not to have settled.
      nodes[promise].above.append(other)
      return add(.breakRing(promise), on: thread)
    }
    nodes[promise].above.append(other)
    // Before it is published a cancel that settles it may still find this promise below.
    if let outcome = nodes[other].outcome, nodes[other].isPublished {
      nodes[promise].follows.append(other)
      settle(promise, outcome, via: other, on: thread)
    } else {
      nodes[promise].follows.append(other)
    }
  }

  mutating func publish(_ promise: Int, on thread: Int) {
    nodes[promise].isPublished = true
    if nodes[promise].isCancelledByCall, let failure = nodes[promise].outcome?.failure {
      events += nodes[promise].hooks.map { .hook(of: promise, $0, failure) }
    }
    nodes[promise].hooks = []
    for (number, handler) in handlers.enumerated() where handler.source == promise && handler.state == .waiting {
      add(.fire(number), on: thread)
    }
    for other in nodes.indices where isPending(other) && nodes[other].follows.contains(promise) {
      add(.pass(to: other, from: promise), on: thread)
    }
    add(.close(promise), on: thread)
  }
}

// MARK: - What a thread has to do
