import Synchronization

/// A reaction with a handler for each outcome (reference row D1). `body` is the one for errors.
///
/// Two closures and not one, because a cancelled reaction lets go of the handler for the value, and keeps the one for the error,
/// which runs if the source is rejected after all (rule 2.5).
///
/// - `fulfilled`: belongs to whoever won the reaction, by `start`, `detach` or, that closure alone, by `takeFulfilledHandler`.
///
/// `@unchecked Sendable`: `fulfilled` is handed from owner to owner as the fields of `Reaction` are.
final class ForkedReaction: AdoptingReaction, @unchecked Sendable {
  private var fulfilled: ReactionBody?

  init(
    from source: AnyPromise, to target: AnyPromise, on context: any ExecutionContext, traits: Traits,
    fulfilled: ReactionBody, rejected: ReactionBody
  ) {
    self.fulfilled = fulfilled
    super.init(from: source, to: target, on: context, traits: traits.union([.value, .error, .forks]), body: rejected)
  }

  func takeFulfilled() -> ReactionBody? {
    let body = fulfilled
    fulfilled = nil
    return body
  }
}

extension Reaction {
  /// The handler for the outcome of the source; any other goes too. The caller has won the reaction by `start`.
  ///
  /// - Parameter before: what `start` found.
  final func takeBody(forError isError: Bool, startedFrom before: ReactionWord) -> ReactionBody? {
    let body = takeBody()
    guard before.traits.contains(.forks) else { return body }
    // Halved before: whoever did it has the other closure.
    let fulfilled = before.isHalved ? nil : withForked { $0.takeFulfilled() }
    return isError ? body : fulfilled
  }

  /// All handlers, so that they can be released. The caller has won the reaction by `detach`.
  final func takeBodies() -> (ReactionBody?, fulfilled: ReactionBody?) {
    (takeBody(), traits.contains(.forks) ? withForked { $0.takeFulfilled() } : nil)
  }

  /// The handler for the value, which is not to run any more, while the one for the error stays. `nil`: the reaction has started.
  final func takeFulfilledHandler() -> ReactionBody? {
    // Acquiring and releasing, as `start`: one of the two comes first and has the closure.
    let before = ReactionWord(bits: word.bitwiseOr(ReactionWord.halvedBit, ordering: .acquiringAndReleasing).oldValue)
    guard !before.isStarted, !before.isDetached, !before.isHalved else { return nil }
    return withForked { $0.takeFulfilled() }
  }

  /// Safe: the trait is set for that class only. No reference is counted: the reaction may be read through a pin.
  private func withForked<Result>(_ body: (ForkedReaction) -> Result) -> Result {
    unsafe Unmanaged<ForkedReaction>.at(location(of: self))._withUnsafeGuaranteedRef(body)
  }
}
