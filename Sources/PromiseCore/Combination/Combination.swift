import Synchronization

/// The record of how a combinator makes one promise, its *result*, from several others, its *inputs*.
///
/// ## Ownership
///
///     input, pending ──observer──▶ combination ◀──▶ result
///                                      │
///                                      └──▶ inputs
///
/// The observers retain the combination until it has *ended*. That is when each observer has run, or was detached because
/// the result is settled. The combination and its result retain each other until the result is published. So the inputs
/// are retained for their outcomes, and a last client of an input among them is released after that (rules 4.5 and 4.6).
/// An input that is settled from the start has no observer.
///
/// An input has the result as a consumer (rule 4.0), and nothing more. The result affects the inputs only if it is
/// cancelled with `upstream: true`, or if the combinator says so (rule 4.8).
///
/// ## Where it runs
///
/// The rule runs inside the calls that settle the inputs, as outcomes pass through links, and like these in a loop. So
/// an input may be the result of another combination, to any depth.
///
/// `@unchecked Sendable`: the fields that change are atomic or guarded by the lock.
package final class Combination: @unchecked Sendable {
  /// Looks at an input that is settled, and returns what the combination must do.
  ///
  /// Called once for each input. Called once more for the last one, with `isLast`, if it has returned `wait` for all
  /// inputs and the result is still pending.
  package typealias Rule = @Sendable (_ input: AnyPromise, _ isLast: Bool) -> Decision

  package enum Decision {
    /// The result waits for other inputs.
    case wait
    /// The rule has claimed the result, and written its payload.
    case settle
    /// The rule has claimed the result and written its payload. Inputs that are still pending are given up.
    case settleAndGiveUpOthers
  }

  /// Whether the result needs the outcomes of all inputs, or of any one of them. An error may settle it earlier.
  package enum Need: Sendable { case all, any }

  package let inputs: [AnyPromise]
  private let need: Need
  /// The inputs without each of which there is no result. Empty if one of several inputs is enough.
  final var requiredInputs: [AnyPromise] { need == .any && inputs.count > 1 ? [] : inputs }
  let result: AnyPromise
  private let rule: Rule
  /// The number of inputs for which the rule has not returned `wait`.
  private let remaining: Atomic<Int>
  /// The rule has returned `settleAndGiveUpOthers`.
  private let givesUpOthers = Atomic(false)

  private let lock = ShortLock()
  /// Accessed under the lock only.
  private var guarded = Guarded()

  private struct Guarded {
    var observers: [Reaction] = []
    var hasEnded = false
    var watch: CombinationWatch?
  }

  let measure: Measure
  /// The inputs were made for the result alone, and are given up with it in any case (rule 4.4).
  let isOwner: Bool

  private init(
    of inputs: [AnyPromise], needing need: Need, owning isOwner: Bool, into result: AnyPromise,
    measuring measure: Measure, by rule: @escaping Rule
  ) {
    self.inputs = inputs
    self.need = need
    self.isOwner = isOwner
    self.result = result
    self.measure = measure
    self.rule = rule
    remaining = Atomic(inputs.count)
  }

  /// Makes a new promise the result of other promises, of which there is at least one. No other thread knows the new
  /// promise yet.
  ///
  /// - Parameters:
  ///   - need: whether the result needs all inputs, or any one of them.
  ///   - isOwner: whether the inputs were made for the result alone. Then they are given up with it in any case (rule
  ///     4.4).
  ///   - rule: called for each input that is settled, until the result is settled. It runs on the thread that settles
  ///     the input, or inside this call. It must not run code of clients.
  /// - Complexity: O(*n*), where *n* is the number of inputs. Makes an observer for each input that is pending.
  package static func make(
    _ result: AnyPromise, from inputs: [AnyPromise], needing need: Need, owning isOwner: Bool = false,
    measuring measure: Measure, by rule: @escaping Rule
  ) {
    let combination = Combination(
      of: inputs, needing: need, owning: isOwner, into: result, measuring: measure, by: rule)
    result.side.getOrCreateTable().locked { $0.combination = combination }
    combination.observe()
  }

  private func observe() {
    var observers: [Reaction] = []
    var count = 0
    // Stops as soon as an input has decided. Only inputs can settle the result, because no other thread knows it yet.
    while count < inputs.count, result.isUnclaimed {
      let input = inputs[count].resolved
      if input.acquiredState.isClosed {
        // It needs no observer, because its earlier reactions have been fired (rule 2.2).
        var settlement = Settlement()
        settlement.carryOut(inputSettled(input), of: input)
        settlement.complete()
      } else {
        if observers.isEmpty { observers.reserveCapacity(inputs.count - count) }
        observers.append(input.attachInlineObserver(ReactionBody { [self] input, _ in inputSettled(input) }))
      }
      count += 1
    }
    let hasEnded = lock.locked {
      if !guarded.hasEnded { guarded.observers = observers }
      return guarded.hasEnded
    }
    let detached = hasEnded ? detachObservers(observers, handlingInAdvance: true) : []
    if !detached.isEmpty || count < inputs.count { endMeanwhile(detached, beside: inputs[count...]) }
  }

  /// Leaves or gives up inputs that the thread that settled the result did not find.
  ///
  /// An input has decided while the inputs were being observed. The settling thread has found neither these observers,
  /// nor the inputs that have none.
  private func endMeanwhile(_ detached: [Departure], beside unobserved: ArraySlice<AnyPromise>) {
    for input in unobserved { input.markHandledInAdvance() }
    let departures = detached + unobserved.map { Departure(promise: $0, isCounted: false, deadEntries: 0) }
    result.observe(on: nil, handling: [.value, .error, .isNotConsumer]) { [self] _, _ in
      // Relaxed, because it was written before the result was published.
      if givesUpOthers.load(ordering: .relaxed) { return .settles(nil, givingUp: departures) }
      let unobserved = departures.compactMap { $0.leave() }
      return unobserved.isEmpty ? .nothing : .settles(nil, givingUp: unobserved)
    }
  }

  private func inputSettled(_ input: AnyPromise) -> Verdict {
    input.markDutyPassed()
    var decision = rule(input, false)
    var isLast = false
    if case .wait = decision {
      // Counted after the rule has returned. Otherwise another input could be the last and decide, while an error or a
      // value that settles the result is still on its way. Acquiring and releasing: the last thread sees the outcomes
      // of all inputs.
      isLast = remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
      // The result may be claimed already, for instance by a cancellation that came too late to detach the observers.
      // Then an error may be among the inputs, for which the rule has returned `wait`.
      if isLast, result.isUnclaimed { decision = rule(input, true) }
    }
    switch decision {
    case .wait:
      guard isLast else { return .nothing }
      // The rule has not decided, or another thread has settled the result without ending the combination.
      let departures = end()
      result.forgetCombination()
      return .settles(nil, givingUp: departures.compactMap { $0.leave() })
    case .settle:
      return .settles(result, givingUp: endByRule().compactMap { $0.leave() })
    case .settleAndGiveUpOthers:
      givesUpOthers.store(true, ordering: .relaxed)
      return .settles(result, givingUp: endByRule())
    }
  }

  /// Ends the combination, because the rule has settled the result.
  private func endByRule() -> [Departure] {
    // First of all, because a rejected result keeps its progress (rule 5.2), which is computed from its inputs.
    result.endProgress()
    return end(handlingInAdvance: true)
  }

  /// Ends the combination, because its result is settled or about to be. Detaches the observers.
  ///
  /// - Parameter isHandlingInAdvance: whether rejections of the remaining inputs count as handled. Not if the result
  ///   was cancelled, because other consumers may have to look at their errors then, as with links.
  /// - Returns: the departures from the inputs that are still pending. The caller must carry them out.
  func end(handlingInAdvance isHandlingInAdvance: Bool = false) -> [Departure] {
    let (observers, watch) = lock.locked {
      defer { guarded = Guarded(hasEnded: true) }
      return (guarded.observers, guarded.watch)
    }
    watch?.unregister(from: inputs)
    return detachObservers(observers, handlingInAdvance: isHandlingInAdvance)
  }

  private func detachObservers(
    _ observers: [Reaction], handlingInAdvance isHandlingInAdvance: Bool
  ) -> [Departure] {
    // Relaxed, because either this thread has counted down to 0, or an observer is left.
    if remaining.load(ordering: .relaxed) == 0 { return [] }
    return observers.compactMap { observer in
      let departure = observer.detachObserver()
      if isHandlingInAdvance { departure?.promise.markHandledInAdvance() }
      return departure
    }
  }
}

// MARK: - Progress

extension Combination {
  /// Whether the progress of the result is watched, or the combination has ended.
  final var isProgressWatched: Bool { lock.locked { guarded.hasEnded || guarded.watch != nil } }

  /// Whether the combination has ended: the result is settled or about to be, and the inputs were left.
  final var hasEnded: Bool { lock.locked { guarded.hasEnded } }

  /// Creates the watch for the first caller. Returns `nil` to later callers, and if the combination has ended.
  final func makeProgressWatch() -> CombinationWatch? {
    let new = CombinationWatch(of: result, in: self)
    return lock.locked {
      if guarded.hasEnded || guarded.watch != nil { return nil }
      guarded.watch = new
      return new
    }
  }
}

extension AnyPromise {
  /// The combination of which this promise is the pending result, if a combinator made it.
  final var combination: Combination? { side.table?.locked { $0.combination } }

  /// Releases the combination, which has ended without settling this promise. Released outside the lock.
  fileprivate final func forgetCombination() { _ = side.table?.locked { $0.combination.take() } }

  /// Marks a rejection of this promise, past or future, as handled, because a combinator has discarded it (rule 7.1).
  package final func markHandledInAdvance() {
    let promise = resolved
    if promise.acquiredState.isDone { return promise.markDutyPassed() }
    promise.side.getOrCreateTable().locked { $0.isHandledInAdvance = true }
  }

  final var isHandledInAdvance: Bool { side.table?.locked { $0.isHandledInAdvance } ?? false }
}
