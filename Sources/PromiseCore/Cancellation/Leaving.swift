/// What a promise that has been claimed, other than by its reaction, takes away from what it waited for. Its handler, unless it has started, does
/// not run, except where rule 2.5 says that it does.
struct Leaving {
  /// Whether the source and the inputs are given up too, or only left.
  let upstream: Bool
  /// What is to be given up, once the promise has been published.
  private(set) var departures = ShortList<Departure>()

  init(upstream: Bool) { self.upstream = upstream }

  mutating func takeAll(of promise: AnyPromise) {
    departures.append(contentsOf: promise.takeAdopted())
    if let combination = promise.combination {
      let inputs = combination.end()
      if upstream || combination.isOwner {
        departures.append(contentsOf: inputs)
      } else {
        for input in inputs { input.leave() }
      }
    }
    // Released, or run, when nothing is pinned.
    var left = LeftReaction()
    let reaction = promise.producer.read(Reaction.self) { reaction -> UInt64 in
      left.take(from: reaction)
      return location(of: reaction)
    }
    if let reaction { _ = promise.producer.retire(reaction) }
    if let source = left.source { leave(source, by: left) }
    left.rejected?.markHandledInAdvance()
    if let body = left.always, let context = left.context {
      promise.observe(on: context, handling: [.value, .error]) { from, _ in body(from, from) }
    }
  }

  private mutating func leave(_ source: AnyPromise, by reaction: LeftReaction) {
    let departure = Departure(promise: source, deadEntries: reaction.isDead ? 1 : 0)
    // What the promise has brought itself is given up in any case.
    if reaction.traits.contains(.owns) || upstream && !reaction.traits.contains(.shields) {
      departures.append(departure)
    } else {
      departure.leave()
    }
  }
}

/// What is taken out of the reaction that would have settled the promise.
private struct LeftReaction {
  var traits: Reaction.Traits = []
  /// The promise that the reaction waited for, if it still is pending.
  var source: AnyPromise?
  var context: (any ExecutionContext)?
  /// The handler of an `always`, which runs all the same.
  var always: ReactionBody?
  /// What an operator's own handler would have looked at: nobody need look at its error any more (rule 7.1).
  var rejected: AnyPromise?
  /// Nothing will come of the reaction any more.
  var isDead = false
  private var unrun: (ReactionBody?, fulfilled: ReactionBody?)

  mutating func take(from reaction: Reaction) {
    traits = reaction.traits
    if traits.contains(.forwards) { return }
    guard let source = reaction.source else { return drop(reaction) }
    let state = source.cell
    if !state.isClaimed { self.source = source }
    if traits.contains(.always) {
      // With the outcome of its own promise, if that is settled; with ours, if we are faster.
      guard !state.isClaimed, reaction.detachBeforeFiring() else { return }
      context = reaction.context
      always = reaction.takeBody()
      isDead = true
    } else if traits.contains(.error), !traits.contains(.recovers), !state.isClaimed || state.isRejected {
      // These handlers of errors run if and only if their own promise is rejected; the other of a pair never.
      if traits.contains(.forks) { unrun.fulfilled = reaction.takeFulfilledHandler() }
    } else {
      drop(reaction)
      if isDead, traits.isSuperset(of: [.owns, .error]), state.isRejected { rejected = source }
    }
  }

  private mutating func drop(_ reaction: Reaction) {
    guard reaction.detach() else { return }
    unrun = reaction.takeBodies()
    isDead = true
  }
}
