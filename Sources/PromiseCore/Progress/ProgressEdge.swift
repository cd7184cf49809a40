import Synchronization

/// The dependency that determines the progress of a pending promise at this moment (rule 5.4). For amounts, see
/// `ProgressScale`.
enum ProgressEdge {
  /// The promise waits for the promise from which it was derived, and has the same amount as that promise.
  case waits(AnyPromise)
  /// The promise has adopted another. Its amount is `amount`, plus `share` times the progress of the adopted promise.
  case adopts(AnyPromise, amount: Double, share: Double)
  /// The promise waits for its owner or its handler. Its amount is `amount`, apart from the owner's reports. A promise
  /// that it adopts will add `share` times its progress.
  case independent(amount: Double, share: Double)
  /// The promise is the result of a combination, and its progress is that of the inputs.
  case combines(Combination)
}

extension AnyPromise {
  /// The dependency that determines the progress of this promise. Read it again when that promise is settled, and when
  /// this promise has adopted another.
  ///
  /// If an owner follows several promises, the newest counts, together with the owner's own reports. For a combination
  /// this is `independent`, with the progress of its inputs.
  final var progressEdge: ProgressEdge {
    let edge = unmeasuredProgressEdge
    guard case .combines(let combination) = edge else { return edge }
    return .independent(amount: weight * combination.progress, share: weight)
  }

  /// The dependency that determines the progress of this promise. For a combination, the progress of the inputs is not
  /// read.
  final var unmeasuredProgressEdge: ProgressEdge {
    typealias Shares = (amount: Double, share: Double)
    typealias Found = (source: AnyPromise?, adopted: AnyPromise?, keptShares: Shares?, forks: Bool)
    let found = producer.read(Reaction.self) { reaction -> Found in
      let traits = reaction.traits
      // The source of a reaction that starts a root does not count.
      let isRoot = traits.contains(.hidesSource) && !traits.contains(.shields)
      return (
        source: isRoot ? nil : reaction.source,
        adopted: traits.contains(.adopts) ? reaction.withAdopting { $0.adopted.promise() } : nil,
        keptShares: traits.contains(.adopts) && !isRoot ? reaction.withAdopting { $0.keptShares } : nil,
        forks: traits.contains(.forks)
      )
    }
    guard let found else {
      return combination.map { .combines($0) } ?? .independent(amount: 0, share: weight)
    }
    var (amount, share) = found.keptShares.flatMap { $0.amount.isNaN ? nil : $0 } ?? (0, weight)
    if let source = found.source {
      guard source.isClaimedInOrder else { return .waits(source) }
      (amount, share) = shares(of: source, forks: found.forks)
    }
    guard let adopted = found.adopted?.resolved else { return .independent(amount: amount, share: share) }
    return .adopts(adopted, amount: amount, share: share)
  }

  /// Returns the amount of a settled source within the weight of this promise, and the share that is left for a promise
  /// that this promise adopts.
  final func shares(of source: AnyPromise, forks: Bool) -> (amount: Double, share: Double) {
    let (whole, reaction) = (weight, max(0, weight - source.weight))
    let amount = min(whole, source.doneAmount)
    // An adopting reaction without weight is a `rescue`, which takes the rest (rule 5.4).
    return (amount, share: reaction == 0 && !forks ? whole - amount : reaction)
  }

  /// The sum of the weights of all links up to this promise, and of the root's 1 (rule 5.4).
  final var weight: Double { side.weight }

  /// Whether the promise is settled or claimed. Read after the caller has registered something, see `SideReference`.
  final var isClaimedInOrder: Bool { stateInOrder.isClaimed }

  /// The amount of a promise that is settled or claimed.
  final var doneAmount: Double { relaxedState.isRejected ? side.doneAmount ?? weight * shownProgress : weight }

  /// The progress that is known from reports, observers and earlier reads, without looking at the promises above.
  final var shownProgress: Double { side.table?.locked { $0.progress.shown } ?? 0 }
}

extension AdoptingReaction {
  /// Stores the amount and the share, because the source is about to be released.
  final func keepShares() {
    // Safe, because the reaction holds both.
    unsafe sourceReference?._withUnsafeGuaranteedRef { source in
      unsafe targetReference?._withUnsafeGuaranteedRef { target in
        keptShares = target.shares(of: source, forks: traits.contains(.forks))
      }
    }
  }
}
