// The observer of one input of a combination. It has no body. It retains the combination itself, in the place of a
// context, so that an input takes one block and no closure is called for it.

extension AnyPromise {
  /// Attaches an observer of a combination to this promise, which is retained by the combination.
  final func attachObserver(for combination: Combination) -> Reaction {
    if acquiredState.isForwarded { return resolved.attachObserver(for: combination) }
    let observer = Reaction(from: self, to: nil, on: nil, traits: [.value, .error, .combines], body: nil)
    observer.contextOrPlace = .combination(combination)
    attach(observer, as: .plain)
    return observer
  }
}

extension Reaction {
  /// Passes the settled input to the combination. The caller has won the reaction, and retains the input.
  final func passToCombination(_ input: AnyPromise, during settlement: inout Settlement) {
    guard let combination = takeCombination() else { return }
    settlement.carryOut(combination.inputSettled(input), of: input)
  }

  /// Takes the combination out of an observer. The caller has won the reaction. Returns `nil` for any other reaction.
  final func takeCombination() -> Combination? {
    // The winner of any other reaction does not own this field. The thread that fires it may be taking out the context.
    guard traits.contains(.combines), case .combination(let combination) = contextOrPlace else { return nil }
    contextOrPlace = .neither
    return combination
  }
}
