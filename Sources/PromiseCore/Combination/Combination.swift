import Synchronization

/// How one promise is made from several others, its *inputs*: what a combinator is.
///
/// ## Who keeps whom
///
///     input, pending ──observer──▶ combination ◀──▶ result
///                                      │
///                                      └──▶ inputs
///
/// The observers keep the combination, and it and its result each other, until it is *over*: each observer has run, or
/// was called off because the result is settled. Until then the inputs are kept, for their outcomes. To be an input counts as a consumer (rule
/// 4.0), and no more: inputs are lent, so what becomes of the result touches them only if it is cancelled with `upstream: true`, or the
/// combinator says so (rule 4.8).
///
/// ## Where it runs
/// Inside the calls that settle the inputs, as outcomes that pass through links do, and like these in a loop: an input
/// may be the result of another combination, to any depth.
package final class Combination: @unchecked Sendable {
  /// What an input has become. Returns what to do.
  ///
  /// Called once for each input, and once more for the last one: `isLast` says that for all inputs it has answered `wait` by
  /// then, and not because somebody else had claimed the result.
  package typealias Rule = @Sendable (_ input: AnyPromise, _ isLast: Bool) -> Step

  package enum Step {
    /// The result waits for others.
    case wait
    /// The rule has claimed the result, and written its payload.
    case settle
    /// The same, and inputs that are still pending are given up.
    case settleAndGiveUpOthers
  }

  package let inputs: [AnyPromise]
  /// Without these there is no result; empty where one of several is enough.
  final var inputsNeeded: [AnyPromise] { measure == .maximum && inputs.count > 1 ? [] : inputs }
  let result: AnyPromise
  private let rule: Rule
  /// For how many inputs the rule has not said to wait.
  private let remaining: Atomic<Int>
  /// The rule has said to give up what is pending.
  private let givesUpOthers = Atomic(false)

  // `@unchecked`: all under the lock.
  private let lock = ShortLock()
  private var observers: [Reaction] = []
  private var isOver = false
  private var watch: CombinationWatch?

  let measure: Measure
  /// The inputs were made for the result alone: given up with it in any case (rule 4.4).
  let isOwner: Bool

  private init(
    of inputs: [AnyPromise], owning isOwner: Bool, into result: AnyPromise, measuring measure: Measure,
    by rule: @escaping Rule
  ) {
    self.inputs = inputs
    self.isOwner = isOwner
    self.result = result
    self.measure = measure
    self.rule = rule
    remaining = Atomic(inputs.count)
  }

  /// Makes a promise that nobody else knows yet the result of others, of which there is at least one.
  ///
  /// - Parameters:
  ///   - isOwner: the inputs were made for the result alone: they are given up with it in any case (rule 4.4).
  ///   - rule: called for each input that is settled, by whatever thread settles it, until the result is settled. It runs no
  ///     code of the user's.
  /// - Complexity: O(*n*): a link for each input.
  package static func make(
    _ result: AnyPromise, from inputs: [AnyPromise], owning isOwner: Bool = false, measuring measure: Measure,
    by rule: @escaping Rule
  ) {
    let combination = Combination(of: inputs, owning: isOwner, into: result, measuring: measure, by: rule)
    result.side.getOrCreateTable().locked { $0.combination = combination }
    combination.observe()
  }

  private func observe() {
    var observers: [Reaction] = []
    observers.reserveCapacity(inputs.count)
    // Until one of them decides. Nobody else can settle the result, which nobody else knows.
    for input in inputs where result.isUnclaimed {
      observers.append(input.attachInlineObserver(ReactionBody { [self] input, _ in take(input) }))
    }
    let isOver = lock.locked {
      if !self.isOver { self.observers = observers }
      return self.isOver
    }
    let called = isOver ? callOff(observers, excusing: true) : []
    if !called.isEmpty || observers.count < inputs.count { endMeanwhile(called, beside: inputs[observers.count...]) }
  }

  /// One of the inputs has decided while they were being observed: who settles the result has not found these observers, nor those inputs
  /// that have none.
  private func endMeanwhile(_ called: [Departure], beside unobserved: ArraySlice<AnyPromise>) {
    for input in unobserved { input.markHandledInAdvance() }
    let departures = called + unobserved.map { Departure(promise: $0, isCounted: false, deadEntries: 0) }
    result.observe(on: nil, handling: [.value, .error, .bystander]) { [self] _, _ in
      // Relaxed: written before the result was published.
      if givesUpOthers.load(ordering: .relaxed) { return .settles(nil, givingUp: departures) }
      for departure in departures { departure.leave() }
      return .nothing
    }
  }

  private func take(_ input: AnyPromise) -> Verdict {
    input.markHandled()
    var step = rule(input, false)
    var isLast = false
    if case .wait = step {
      // Not before its rule has spoken: else another could find itself the last, and decide, while an error or a value that
      // settles the result is still on its way. Acquiring and releasing: the last sees what the others have become.
      isLast = remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
      // Claimed, say, by a cancellation that came too late to call the observers off: an error may be among the inputs.
      if isLast, result.isUnclaimed { step = rule(input, true) }
    }
    switch step {
    case .wait:
      // The result was settled by somebody else, who need not have known how it is made.
      if isLast { for input in end() { input.leave() } }
      return .nothing
    case .settle:
      for input in endByRule() { input.leave() }
      return .settles(result, givingUp: [])
    case .settleAndGiveUpOthers:
      givesUpOthers.store(true, ordering: .relaxed)
      return .settles(result, givingUp: endByRule())
    }
  }

  /// The rule has settled the result.
  private func endByRule() -> [Departure] {
    // First: if it is rejected, it stays where it was (rule 5.2), which only its inputs tell.
    result.endProgress()
    return end(excusing: true)
  }

  /// The result is settled, or about to be: calls the observers off.
  ///
  /// - Parameter isHandlingInAdvance: what becomes of the inputs is of no interest any more. Not so if the result was cancelled:
  ///   as with links, somebody else may have to look at their errors then.
  /// - Returns: the inputs that still are pending, which are to be given up, or left.
  func end(excusing isHandlingInAdvance: Bool = false) -> [Departure] {
    let (observers, watch) = lock.locked {
      isOver = true
      defer { (self.observers, self.watch) = ([], nil) }
      return (self.observers, self.watch)
    }
    watch?.leave(inputs)
    let departures = callOff(observers, excusing: isHandlingInAdvance)
    result.forgetCombination()
    return departures
  }

  private func callOff(_ observers: [Reaction], excusing isHandlingInAdvance: Bool) -> [Departure] {
    // Relaxed: who has counted down to 0 is this thread, or there is somebody left.
    if remaining.load(ordering: .relaxed) == 0 { return [] }
    return observers.compactMap { observer in
      let departure = observer.callOffObserver()
      if isHandlingInAdvance { departure?.promise.markHandledInAdvance() }
      return departure
    }
  }
}

// MARK: - Progress

extension Combination {
  /// Somebody looks after the progress, or it is of no interest any more.
  final var isProgressWatched: Bool { lock.locked { isOver || watch != nil } }

  /// The result is settled, or about to be, and the inputs were left.
  final var hasEnded: Bool { lock.locked { isOver } }

  /// Who looks after the progress, for the first who asks while it is of interest.
  final func makeProgressWatch() -> CombinationWatch? {
    let new = CombinationWatch(of: result, in: self)
    return lock.locked {
      if isOver || watch != nil { return nil }
      watch = new
      return new
    }
  }
}

extension AnyPromise {
  /// From what this promise is made, if a combinator made it and it is pending.
  final var combination: Combination? { side.table?.locked { $0.combination } }

  /// It is over. Released outside the lock.
  fileprivate final func forgetCombination() { _ = side.table?.locked { $0.combination.take() } }

  /// Nobody need look at a rejection of this promise, past or to come: a combinator has discarded it (rule 7.1).
  package final func markHandledInAdvance() {
    if cell.isDone { return markHandled() }
    side.getOrCreateTable().locked { $0.isHandledInAdvance = true }
  }

  final var isHandledInAdvance: Bool { side.table?.locked { $0.isHandledInAdvance } ?? false }
}
