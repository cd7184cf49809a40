/// The source of the progress of a pending promise at this moment (rule 5.4). For amounts, see `ProgressScale`.
enum ProgressEdge {
  /// The promise waits for the promise from which it was derived, and has the same amount as that promise.
  case waits(AnyPromise)
  /// The promise has adopted another, or follows it.
  case adopts(AnyPromise, ProgressShares)
  /// The promise waits for its owner, its handler, or the inputs of a combination. Its amount is the given one, apart
  /// from what its owner has reported or its watch has found.
  case independent(amount: Double)
}

extension AnyPromise {
  /// The source of the progress of this promise. Read it again when that promise is settled, and when this promise
  /// has adopted or followed another.
  ///
  /// If an owner follows several promises, the newest counts, together with the owner's own reports.
  final var progressEdge: ProgressEdge {
    let state = lock()
    let isPending = state.isPending
    let source = isPending && state.isEntry && state.stage != .ended ? unsafe link.pointee.source?.strong : nil
    let shares = isPending && state.isAdopter ? keptShares : nil
    let follow = isPending ? side?.follows.last : nil
    unlock(state)
    if let source, let shares { return .adopts(source.resolved, shares) }
    if let source, !hasHiddenSource {
      return source.acquiredState.isDone ? .independent(amount: amount(after: source)) : .waits(source)
    }
    if let followed = follow?.waitingSource {
      return .adopts(followed.resolved, ProgressShares(amount: 0, share: weight))
    }
    return .independent(amount: 0)
  }

  /// The source belongs to the library, and its progress does not count. A promise that only passes an outcome on, such
  /// as a shield or the promise of a client, shows the progress of the source that it hides.
  final var hasHiddenSource: Bool { traits.contains(.hidesSource) && !traits.isDisjoint(with: [.value, .error]) }

  /// The amount of a settled source within the weight of this entry, and the share that is left for a promise that this
  /// entry adopts.
  final func shares(after source: AnyPromise) -> ProgressShares {
    let whole = weight
    if hasHiddenSource { return ProgressShares(amount: 0, share: whole) }
    let added = max(0, whole - source.weight)
    let amount = amount(after: source)
    // A link of weight 0 for errors alone is a `rescue`, which takes the rest, or a `catchThen` (rule 5.4).
    let takesRest = added == 0 && traits.isDisjoint(with: [.value, .keepsErrorHandler])
    return ProgressShares(amount: amount, share: takesRest ? whole - amount : added)
  }

  /// The sum of the weights of all links up to this promise, and of the root's 1 (rule 5.4).
  ///
  /// Needs no lock, because it is constant. A promise whose weight is in the side table has that from the start.
  final var weight: Double { relaxedState.weight ?? side?.weight ?? 1 }

  /// The amount of a settled promise.
  final var doneAmount: Double { relaxedState.isRejected ? payload.amount : weight }

  /// How much this entry has done of its weight because of a source, if that is settled. Needs no lock.
  final func amount(after source: AnyPromise) -> Double {
    source.acquiredState.isDone && !hasHiddenSource ? min(weight, source.doneAmount) : 0
  }

  /// The progress that is known from reports, observers and earlier reads, without looking at the promises above.
  final var shownProgress: Double { locked { side?.progress.shown ?? 0 } }
}

/// The known progress of an entry when it adopts a promise (rule 5.4): the amount that its source has done of
/// its weight, and the share that the adopted promise adds. For amounts, see `ProgressScale`.
struct ProgressShares {
  let amount: Double
  let share: Double

  func scaled(by factor: Double) -> ProgressShares { ProgressShares(amount: factor * amount, share: factor * share) }

  /// Returns the shares after the adopted promise has been replaced by the promise that it has adopted itself.
  ///
  /// - Parameter fractions: the part of its weight that the replaced promise had done, and the part that it left for the
  ///   other one.
  func entering(_ fractions: ProgressShares) -> ProgressShares {
    ProgressShares(amount: amount + share * fractions.amount, share: share * fractions.share)
  }
}

extension AnyPromise {
  /// The shares of an entry that has adopted a promise, kept where its outcome will be.
  final var keptShares: ProgressShares {
    get { payload.shares }
    set { payload = Payload(shares: newValue) }
  }
}

/// Converts the progress of a promise above into that of the observed promise (rule 5.4).
///
/// The unit is an *amount*, which is progress times weight. A promise that waits for its source has the amount of its
/// source, in a larger whole. So only the amount at the top of a chain of links matters, and rounding errors do not
/// accumulate.
struct ProgressScale {
  /// The amount that the observed promise has, whatever the progress of the promise above.
  private var done = 0.0
  /// The factor that converts an amount of the promise above into an amount of the observed promise.
  private var factor = 1.0
  /// The weight of the observed promise.
  private let whole: Double

  init(whole: Double) { self.whole = whole }

  /// Returns the progress of the observed promise if the promise above has the given amount.
  func value(at amount: Double) -> Double { min(1, (done + factor * amount) / whole) }

  /// Returns the scale for a promise of the given weight that the promise above has adopted.
  func entering(_ shares: ProgressShares, weight: Double) -> ProgressScale {
    var scale = self
    scale.done += factor * shares.amount
    scale.factor *= shares.share / weight
    return scale
  }
}
