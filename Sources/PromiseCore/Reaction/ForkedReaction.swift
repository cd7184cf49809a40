import Synchronization

/// A reaction with a handler for each outcome. `body` is the handler for an error, `fulfilled` the handler for a value.
///
/// There are two closures, because a cancelled reaction releases only the handler for the value. The handler for an
/// error runs if the source is rejected later (rule 2.5).
///
/// Invariant: `fulfilled` belongs to the thread that has won the reaction by `start` or `detach`, or that closure alone
/// by `takeFulfilledHandler`.
///
/// `@unchecked Sendable`, because `fulfilled` passes from owner to owner as the fields of `Reaction` do.
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
  /// Takes the handler for the outcome of the source, and releases the other. The caller has won the reaction by
  /// `start`.
  ///
  /// - Parameter before: the word that `start` returned.
  final func takeBody(forError isError: Bool, startedFrom before: ReactionWord) -> ReactionBody? {
    let body = takeBody()
    guard before.traits.contains(.forks) else { return body }
    // If the word says `hasReleasedFulfilled`, another thread has taken the handler for the value.
    let fulfilled = before.hasReleasedFulfilled ? nil : withForked { $0.takeFulfilled() }
    return isError ? body : fulfilled
  }

  /// Takes all handlers, so that the caller can release them. The caller has won the reaction by `detach`.
  final func takeBodies() -> (ReactionBody?, fulfilled: ReactionBody?) {
    (takeBody(), traits.contains(.forks) ? withForked { $0.takeFulfilled() } : nil)
  }

  /// Takes the handler for the value, which must not run any more, and leaves the handler for an error. Returns `nil`
  /// if another thread has won the reaction or has taken this handler.
  final func takeFulfilledHandler() -> ReactionBody? {
    // Acquiring and releasing. Pairs with the read-modify-write in `start`: the earlier of the two gets the closure.
    let before = ReactionWord(
      bits: word.bitwiseOr(ReactionWord.releasedFulfilledBit, ordering: .acquiringAndReleasing).oldValue)
    guard !before.isStarted, !before.isDetached, !before.hasReleasedFulfilled else { return nil }
    return withForked { $0.takeFulfilled() }
  }

  /// Safe, because the trait is set for that class only. Counts no reference, because the reaction may be read through
  /// a pin.
  private func withForked<Result>(_ body: (ForkedReaction) -> Result) -> Result {
    unsafe Unmanaged<ForkedReaction>.at(location(of: self))._withUnsafeGuaranteedRef(body)
  }
}
