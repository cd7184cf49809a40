/// The reaction from the promise of a `Deferred(cancelWhenUnobserved: true)` to the one that clients get (reference row B12).
///
///     Deferred ──▶ source ──WeakReaction─ ─ ▶ identity ◀── clients
///                    ▲                       │  ▲ retains itself while it has consumers
///                    └────── (side table) ───┘  └─┘
///
/// The identity becomes what the source becomes, and to cancel it is to cancel the source. The reaction does not keep it:
/// it lives by those who hold it and, since a chain with handlers must live though nobody holds it (rule 6.1), as long
/// as it has consumers. So its `deinit` tells that nobody wants the outcome any more.
final class WeakReaction: Reaction, @unchecked Sendable {
  // `@unchecked`: set before the reaction is published.
  private weak var identity: AnyPromise?

  init(from source: AnyPromise, to identity: AnyPromise, body: ReactionBody) {
    self.identity = identity
    super.init(from: source, to: nil, on: nil, traits: [.weak, .hidesSource], body: body)
  }

  deinit {
    // Nobody reaches the reaction from here on; who cancels the identity may be reading it.
    if let identity { _ = identity.producer.retire(location(of: self)) }
  }

  /// The reaction is about to settle its target: from now on it holds it. `false`: nobody else did.
  func holdTarget() -> Bool {
    guard let identity else { return false }
    unsafe targetReference = .passRetained(identity)
    return true
  }

  /// As `openTarget`, if somebody holds it.
  var identityIfOpen: AnyPromise? { identity.flatMap { $0.cell.isClosed ? nil : $0 } }
}

extension Reaction {
  /// Safe: the trait is set for that class only.
  final var asWeak: WeakReaction { unsafe unsafeDowncast(self, to: WeakReaction.self) }
}
