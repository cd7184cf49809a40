import Synchronization

/// The record of how a combinator makes one promise, its *result*, from several others, its *inputs*.
///
/// ## Ownership
///
///     input, pending ──observer──▶ combination ◀──▶ result
///                                      │
///                                      └──▶ inputs
///
/// The observers retain the combination until it has *ended*. That is when each observer has run, or was detached
/// because the result is settled. The combination and its result retain each other until the result is settled. So the
/// inputs are retained for their outcomes, and a last client of an input among them is released after that (rules 4.5
/// and 4.6). An input that is settled from the start has no observer.
///
/// An input has the result as a consumer (rule 4.0), and nothing more. The result affects the inputs only if it is
/// cancelled with `upstream: true`, or if the combinator says so (rule 4.8).
///
/// ## Where it runs
///
/// The rule runs inside the calls that settle the inputs, as outcomes pass through links, and like these in a loop. So
/// an input may be the result of another combination, to any depth.
///
/// `@unchecked Sendable`, because the fields that change are atomic or guarded by the lock.
package final class Combination: @unchecked Sendable {
  /// Looks at an input that is settled, and returns what the combination must do.
  ///
  /// Called once for each input. Called once more for the last one, with `isLast`, if it has returned `wait` for all
  /// inputs and the result is still pending. Then it must settle the result. Several threads may call it at the same
  /// time, so a rule that remembers inputs needs a lock. The same promise may be an input twice.
  package typealias Rule = @Sendable (_ input: AnyPromise, _ isLast: Bool) -> Decision

  package enum Decision {
    /// The result waits for other inputs.
    case wait
    /// The result is settled. Inputs that are still pending are left or given up.
    case settle(Outcome, givingUpOthers: Bool = false)
  }

  package let inputs: [AnyPromise]
  let operation: Operation
  /// The number of inputs without which there is no result. An error may settle it earlier.
  let countNeeded: Int
  /// The inputs without each of which there is no result. Empty if some of the inputs are enough.
  final var requiredInputs: [AnyPromise] { countNeeded < inputs.count ? [] : inputs }
  let result: AnyPromise
  private let rule: Rule
  /// The number of inputs for which the rule has not returned `wait`.
  private let remaining: Atomic<Int>
  private let lock = ShortLock()
  /// Accessed under the lock only.
  private var guarded: Guarded

  private struct Guarded {
    var observers: [AnyPromise] = []
    /// The inputs from this index on are not observed, because the result was settled before.
    var countObserved: Int
    var hasEnded = false
    /// The inputs from `countObserved` on are not observed, because the observers are still being attached.
    var isObserving = true
    /// Has a hold for the inputs that are not observed and are given up.
    var finish: Finish?
    /// The inputs that are still pending when the combination ends are given up.
    var givesUpOthers = false
  }

  let measure: Measure
  /// The inputs were made for the result alone, and are given up with it in any case (rule 4.4).
  let isOwner: Bool

  private init(
    of inputs: [AnyPromise], by operation: Operation, needing count: Int, owning isOwner: Bool,
    into result: AnyPromise, measuring measure: Measure, by rule: @escaping Rule
  ) {
    self.inputs = inputs
    self.operation = operation
    countNeeded = count
    self.isOwner = isOwner
    self.result = result
    self.measure = measure
    self.rule = rule
    remaining = Atomic(inputs.count)
    guarded = Guarded(countObserved: inputs.count)
  }

  /// Makes a new promise the result of other promises, of which there is at least one. No other thread knows the new
  /// promise yet.
  ///
  /// - Parameters:
  ///   - count: the number of inputs that the result needs, from 1 to that of all inputs.
  ///   - isOwner: whether the inputs were made for the result alone. Then they are given up with it in any case (rule
  ///     4.4).
  ///   - rule: called for each input that is settled, until the result is settled. It runs on the thread that settles
  ///     the input, or inside this call. It must not run code of clients.
  /// - Complexity: O(*n*), where *n* is the number of inputs. Makes an observer for each input that is pending.
  package static func make(
    _ result: AnyPromise, from inputs: [AnyPromise], by operation: Operation, needing count: Int,
    owning isOwner: Bool = false, measuring measure: Measure, rule: @escaping Rule
  ) {
    assert(count > 0 && count <= inputs.count, "A combination needs no input, or more than it has.")
    let combination = Combination(
      of: inputs, by: operation, needing: count, owning: isOwner, into: result, measuring: measure, by: rule)
    result.locked { result.sideTable.combination = combination }
    if Diagnostics.isActive { result.note(.combines(operation, inputs)) }
    combination.observe()
  }

  private func observe() {
    var observers: [AnyPromise] = []
    var count = 0
    // One body for all observers.
    let body = HandlerBody { [self] input, _ in inputSettled(input) }
    var queue = FiringQueue()
    // Stops as soon as an input has decided. Only inputs can settle the result, because no other thread knows it yet.
    while count < inputs.count, result.acquiredState.isPending {
      let input = inputs[count].resolved
      if input.acquiredState.isClosed {
        // It needs no observer, because its earlier entries have been fired (rule 2.2).
        if input.relaxedState.isUnfinished { input.passFinish(toPromise: result) }
        if case .entails(let consequence) = inputSettled(input) { queue.carryOut(consequence, because: input) }
      } else {
        if observers.isEmpty { observers.reserveCapacity(inputs.count - count) }
        let observer = InputObserver(of: input, for: self)
        input.attach(observer, on: nil, body)
        observers.append(observer)
      }
      count += 1
    }
    let ended = lock.locked {
      guarded.observers = guarded.hasEnded ? [] : observers
      guarded.countObserved = guarded.hasEnded ? inputs.count : count
      guarded.isObserving = false
      return guarded.hasEnded ? guarded : nil
    }
    if let ended {
      // The thread that settled the result has found neither these observers, nor the inputs that have none.
      let departures = depart(
        observers, andUnobservedFrom: count, handlingInAdvance: true, givingUp: ended.givesUpOthers)
      queue.leave(departures, givingUp: ended.givesUpOthers, because: result, heldBy: ended.finish)
    }
    queue.fireAll()
  }

  private func inputSettled(_ input: AnyPromise) -> BodyResult {
    input.markDutyPassed(to: result)
    var decision = rule(input, false)
    if case .wait = decision {
      // Counted after the rule has returned. Otherwise another input could be the last and decide, while an error or a
      // value that settles the result is still on its way. Acquiring and releasing: the last thread sees the outcomes
      // of all inputs.
      let isLast = remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
      // The result may be settled already, for instance by a cancellation that came too late to detach the observers.
      // Then an error may be among the inputs, for which the rule has returned `wait`.
      if isLast, result.acquiredState.isPending {
        decision = rule(input, true)
        assertDecided(decision)
      }
    }
    switch decision {
    case .wait: return .nothing
    case .settle(let outcome, let givesUpOthers):
      return .entails(Consequence(combination: self, outcome: outcome, givesUp: givesUpOthers))
    }
  }

  /// Invariant: a rule settles the result when it is asked for the last time, unless the result was settled meanwhile.
  private func assertDecided(_ decision: Decision) {
    if case .wait = decision { assert(!result.isPending, "A rule has not decided for the last input.") }
  }

  /// Ends the combination. Detaches the observers. Called by the thread that has settled the result, because only that
  /// one knows whether the inputs are left or given up.
  ///
  /// - Parameter isHandlingInAdvance: whether rejections of the remaining inputs count as handled. Not if the result
  ///   was cancelled, because other consumers may have to look at their errors then, as with links.
  /// - Parameter finish: that of the result, on which the caller has a hold. The result gives the inputs up.
  /// - Returns: the departures from the inputs that are still pending. The caller must carry them out.
  func end(
    handlingInAdvance isHandlingInAdvance: Bool = false, givingUpOthers: Bool = false, heldBy finish: Finish? = nil
  ) -> [Departure] {
    let found = lock.locked {
      if guarded.isObserving { finish?.hold() }
      defer {
        let isObserving = guarded.isObserving
        guarded = Guarded(
          countObserved: inputs.count, hasEnded: true, isObserving: isObserving, finish: isObserving ? finish : nil,
          givesUpOthers: givingUpOthers)
      }
      return guarded
    }
    assert(!found.hasEnded, "A combination has ended twice.")
    return depart(
      found.observers, andUnobservedFrom: found.countObserved, handlingInAdvance: isHandlingInAdvance,
      givingUp: givingUpOthers)
  }

  private func depart(
    _ observers: [AnyPromise], andUnobservedFrom count: Int, handlingInAdvance isHandlingInAdvance: Bool,
    givingUp: Bool
  ) -> [Departure] {
    // Acquiring, and pairs with the countdown. A thread that cancels the result may find that another thread has settled
    // the last input. Then it has to see which inputs have not finished (`UnfinishedWork.await`).
    if remaining.load(ordering: .acquiring) == 0 { return [] }
    let departures =
      observers.compactMap { $0.detach() } + (givingUp ? inputs[count...].map { Departure(promise: $0) } : [])
    if isHandlingInAdvance {
      for departure in departures { departure.promise.markHandledInAdvance() }
      if !givingUp { for input in inputs[count...] { input.markHandledInAdvance() } }
    }
    return departures
  }
}

/// The entry by which the result of a combination waits for an input.
///
/// It leads a description from the input to the result.
///
/// `@unchecked Sendable`, because the field is constant.
@safe
final class InputObserver: Entry<Never>, @unchecked Sendable {
  private unowned(unsafe) let observing: Combination

  /// The result of the combination. `nil` once the observer has run, or was detached.
  var combined: AnyPromise? {
    // Safe, because the body retains the combination, and is taken out under this lock.
    locked { unsafe link.pointee.body == nil ? nil : unsafe observing.result }
  }

  init(of input: AnyPromise, for combination: Combination) {
    unsafe observing = combination
    super.init(from: input, at: input.site, [.value, .error, .isInput, .isObserver], weight: 0)
  }
}

extension AnyPromise {
  /// The combination of which this promise is the pending result, if a combinator made it.
  final var combination: Combination? { locked { side?.combination } }

  /// Marks a rejection of this promise, past or future, as handled, because a combinator has discarded it (rule 7.1).
  package final func markHandledInAdvance() {
    let promise = resolved
    let state = promise.lock()
    if state.isDone { return promise.unlock(state.becomingHandled()) }
    promise.sideTable.isHandledInAdvance = true
    promise.unlock(state)
  }

  final var isHandledInAdvance: Bool { locked { side?.isHandledInAdvance ?? false } }
}
