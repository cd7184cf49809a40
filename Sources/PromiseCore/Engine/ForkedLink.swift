import Synchronization

/// A link with a handler for each outcome (reference row D1). `body` is the one for errors.
///
/// Two closures and not one, because a cancelled link lets go of the handler for the value, and keeps the one for the error,
/// which runs if the source is rejected after all (rule 2.5).
///
/// - `fulfilled`: belongs to whoever won the link, by `start`, `detach` or, that closure alone, by `letFulfilledGo`.
///
/// `@unchecked Sendable`: `fulfilled` is handed from owner to owner as the fields of `Link` are.
final class ForkedLink: AdoptingLink, @unchecked Sendable {
  private var fulfilled: LinkBody?

  init(
    from source: AnyPromise, to target: AnyPromise, on context: any ExecutionContext, traits: Traits,
    fulfilled: LinkBody, rejected: LinkBody
  ) {
    self.fulfilled = fulfilled
    super.init(from: source, to: target, on: context, traits: traits.union([.value, .error, .forks]), body: rejected)
  }

  func takeFulfilled() -> LinkBody? {
    let body = fulfilled
    fulfilled = nil
    return body
  }
}

extension Link {
  /// The handler for the outcome of the source; any other goes too. The caller has won the link by `start`.
  ///
  /// - Parameter before: what `start` found.
  final func takeBody(forError isError: Bool, startedFrom before: LinkWord) -> LinkBody? {
    let body = takeBody()
    guard before.traits.contains(.forks) else { return body }
    // Halved before: whoever did it has the other closure.
    let fulfilled = before.isHalved ? nil : withForked { $0.takeFulfilled() }
    return isError ? body : fulfilled
  }

  /// All handlers, so that they can be released. The caller has won the link by `detach`.
  final func takeBodies() -> (LinkBody?, fulfilled: LinkBody?) {
    (takeBody(), traits.contains(.forks) ? withForked { $0.takeFulfilled() } : nil)
  }

  /// The handler for the value, which is not to run any more, while the one for the error stays. `nil`: the link has started.
  final func letFulfilledGo() -> LinkBody? {
    // Acquiring and releasing, as `start`: one of the two comes first and has the closure.
    let before = LinkWord(bits: word.bitwiseOr(LinkWord.halvedBit, ordering: .acquiringAndReleasing).oldValue)
    guard !before.isStarted, !before.isDetached, !before.isHalved else { return nil }
    return withForked { $0.takeFulfilled() }
  }

  /// Safe: the trait is set for that class only. No reference is counted: the link may be read through a pin.
  private func withForked<Result>(_ body: (ForkedLink) -> Result) -> Result {
    unsafe Unmanaged<ForkedLink>.at(location(of: self))._withUnsafeGuaranteedRef(body)
  }
}
