/// The observer of one input of a combination.
///
/// It has no body. It retains the combination itself, so that an input takes one block and no closure is called for it.
///
/// `@unchecked Sendable`: `combination` belongs to the thread that has won the reaction, as a body does.
final class CombinationObserver: Reaction, @unchecked Sendable {
  private var combination: Combination?

  init(of input: AnyPromise, for combination: Combination) {
    self.combination = combination
    super.init(from: input, to: nil, on: nil, traits: [.value, .error, .combines], body: nil)
  }

  /// Passes the settled input to the combination. The caller has won the reaction, and retains the input.
  func run(on input: AnyPromise, during settlement: inout Settlement) {
    guard let combination = combination.take() else { return }
    settlement.carryOut(combination.inputSettled(input), of: input)
  }

  /// Detaches the observer and returns its departure, which is still counted as a consumer. Returns `nil` if the
  /// observer has run or is running.
  func detachFromInput() -> Departure? {
    guard detach() else { return nil }
    // Otherwise the dead entry would retain the combination (rule 4.9).
    combination = nil
    return source.map { Departure(promise: $0) }
  }
}

extension Reaction {
  /// This reaction as the observer of a combination. Safe, because the trait is set for that class only.
  final var asCombinationObserver: CombinationObserver { unsafe unsafeDowncast(self, to: CombinationObserver.self) }
}

extension AnyPromise {
  /// Attaches an observer of a combination to this promise, which is retained by the combination.
  final func attachObserver(for combination: Combination) -> CombinationObserver {
    if acquiredState.isForwarded { return resolved.attachObserver(for: combination) }
    let observer = CombinationObserver(of: self, for: combination)
    attach(observer, as: .plain)
    return observer
  }
}
