import Synchronization

/// What the progress of a pending promise depends on at this moment (rule 5.4). Amounts: see `ProgressScale`.
enum ProgressEdge {
  /// It waits for the promise that it was derived from, and has done what that one has done.
  case waits(AnyPromise)
  /// It has adopted a promise: it has done `amount`, and `share` times the progress of that.
  case adopts(AnyPromise, amount: Double, share: Double)
  /// It waits for its owner or its handler, and has done `amount`, apart from what the owner reports. A promise that it adopts
  /// will add `share` times the progress of that.
  case stands(amount: Double, share: Double)
}

extension AnyPromise {
  /// Where the progress of this promise comes from. To be asked again when that is settled, and when something was adopted.
  ///
  /// Of several promises that an owner follows the newest counts, together with what the owner reports itself.
  final var progressEdge: ProgressEdge { progressEdge { $0.progress } }

  /// - Parameter combined: how far the inputs of a combination have come.
  final func progressEdge(combined: (Combination) -> Double) -> ProgressEdge {
    typealias Found = (source: AnyPromise?, adopted: AnyPromise?, done: (amount: Double, share: Double)?, forks: Bool)
    let found = producer.read(Reaction.self) { reaction -> Found in
      let traits = reaction.traits
      // The way to a root does not count.
      let isRoot = traits.contains(.hidesSource) && !traits.contains(.shields)
      return (
        source: isRoot ? nil : reaction.source,
        adopted: traits.contains(.adopts) ? reaction.withAdopting { $0.adopted.promise() } : nil,
        done: traits.contains(.adopts) && !isRoot ? reaction.withAdopting { $0.done } : nil,
        forks: traits.contains(.forks)
      )
    }
    guard let found else {
      let amount = combination.map { weight * combined($0) } ?? 0
      return .stands(amount: amount, share: weight)
    }
    var (amount, share) = found.done.flatMap { $0.amount.isNaN ? nil : $0 } ?? (0, weight)
    if let source = found.source {
      guard source.isProgressOver else { return .waits(source) }
      (amount, share) = shares(of: source, forks: found.forks)
    }
    guard let adopted = found.adopted?.resolved else { return .stands(amount: amount, share: share) }
    return .adopts(adopted, amount: amount, share: share)
  }

  /// What a settled source has done of the weight of this promise, and what is left to a promise that this one adopts.
  final func shares(of source: AnyPromise, forks: Bool) -> (amount: Double, share: Double) {
    let (whole, reaction) = (weight, max(0, weight - source.weight))
    let amount = min(whole, source.doneAmount)
    // What weighs nothing and has adopted all the same is `rescue`, which takes the rest (row J4).
    return (amount, share: reaction == 0 && !forks ? whole - amount : reaction)
  }

  /// What all links up to this promise weigh together, with the root's 1 (rule 5.4).
  final var weight: Double { side.weight }

  /// The promise is settled, or about to be. Read after something was registered, see `SideReference`.
  final var isProgressOver: Bool { cellInOrder.isClaimed }

  /// How much of its weight a promise that is over has done.
  final var doneAmount: Double { cellHint.isRejected ? side.doneAmount ?? weight * shownProgress : weight }

  /// What is known without looking further up: reported, observed or read before.
  final var shownProgress: Double { side.table?.locked { $0.progress.shown } ?? 0 }
}

extension AdoptingReaction {
  /// The source is going to be let go.
  final func keepShares() {
    // Safe: the link holds both.
    unsafe sourceReference?._withUnsafeGuaranteedRef { source in
      unsafe targetReference?._withUnsafeGuaranteedRef { target in
        done = target.shares(of: source, forks: traits.contains(.forks))
      }
    }
  }
}
