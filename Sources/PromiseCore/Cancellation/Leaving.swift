/// Takes a promise away from everything for which it waited, because something other than its reaction has claimed it.
///
/// The handler does not run, unless it has started, or rule 2.5 says that it runs.
struct Leaving {
  /// Whether the source and the inputs are given up. Otherwise they are only left.
  let upstream: Bool
  /// The departures that the caller must carry out once the promise has been published.
  private(set) var departures = ShortList<Departure>()

  init(upstream: Bool) { self.upstream = upstream }

  mutating func takeAll(of promise: AnyPromise) {
    promise.takeAdopted().forEachElement { departures.append($0) }
    if let combination = promise.combination {
      let inputs = combination.end()
      // The result has taken the duty of an input that was rejected just now (rule 7.1).
      for input in inputs { input.promise.markDutyPassed() }
      if upstream || combination.isOwner {
        for input in inputs { departures.append(input) }
      } else {
        for input in inputs { leave(input) }
      }
    }
    // What is taken out of the reaction is released, or scheduled, after the reaction was unpinned.
    var left = LeftReaction()
    let reaction = promise.producer.read(Reaction.self) { reaction -> UInt64 in
      left.take(from: reaction)
      return location(of: reaction)
    }
    if let reaction { _ = promise.producer.retire(reaction) }
    if let source = left.source { leaveOrGiveUp(source, by: left) }
    left.rejected?.markHandledInAdvance()
    if let body = left.always, let context = left.context {
      promise.observePrepared(
        on: context, handling: [.value, .error], body: ReactionBody { from, _ in body(from, from) })
    }
  }

  private mutating func leaveOrGiveUp(_ source: AnyPromise, by reaction: borrowing LeftReaction) {
    let departure = Departure(promise: source, deadEntries: reaction.isDead ? 1 : 0)
    // The promise has brought its source itself, and gives it up in any case.
    if reaction.traits.contains(.owns) || upstream && !reaction.traits.contains(.shields) {
      departures.append(departure)
    } else {
      leave(departure)
    }
  }

  private mutating func leave(_ departure: Departure) {
    if let unobserved = departure.leave() { departures.append(unobserved) }
  }
}

/// The parts that are taken out of the reaction which would have settled the promise.
private struct LeftReaction: ~Copyable {
  var traits: Reaction.Traits = []
  /// The promise for which the reaction waited, if it is still pending.
  var source: AnyPromise?
  /// The context of the handler, unless the reaction was fired.
  var context: (any ExecutionContext)?
  /// The handler of an `always`, which runs all the same.
  var always: ReactionBody?
  /// The rejected source of a link whose handler does not look at the error. The link has taken the duty to handle that
  /// error (rule 7.1).
  var rejected: AnyPromise?
  /// The reaction was detached, so its entry in the list is dead.
  var isDead = false
  private var unrun: (ReactionBody?, fulfilled: ReactionBody?)

  mutating func take(from reaction: Reaction) {
    traits = reaction.traits
    if traits.contains(.forwards) { return }
    guard let source = reaction.source else { return drop(reaction) }
    let state = source.acquiredState
    if !state.isClaimed { self.source = source }
    if traits.contains(.always) {
      // If the source is settled, the handler runs with the outcome of the source. Otherwise it runs with the outcome
      // of the claimed promise, provided that this thread detaches the reaction before the source fires it.
      guard !state.isClaimed, reaction.detachBeforeFiring() else {
        if state.isRejected { rejected = source }
        return
      }
      context = reaction.takeContext()
      always = reaction.takeBody()
      isDead = true
    } else if traits.contains(.error), !traits.contains(.recovers), !state.isClaimed || state.isRejected {
      // These handlers of errors run if and only if the source is rejected. The handler for the value, if the reaction
      // has two, never runs.
      if traits.contains(.forks) { unrun.fulfilled = reaction.takeFulfilledHandler() }
    } else {
      drop(reaction)
      if isDead, state.isRejected { rejected = source }
    }
  }

  private mutating func drop(_ reaction: Reaction) {
    guard let before = reaction.detach() else { return }
    unrun = reaction.takeBodies()
    if before.retainsContext { context = reaction.takeContext() }
    isDead = true
  }
}
