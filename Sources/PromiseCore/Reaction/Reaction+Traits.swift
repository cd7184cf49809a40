extension Reaction {
  /// The outcomes that the reaction handles, and the kind of the reaction. An outcome that it does not handle passes
  /// through it without a hop (rule 2.3).
  @usableFromInline
  package struct Traits: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt16
    @_alwaysEmitIntoClient package init(rawValue: UInt16) { self.rawValue = rawValue }
    @_alwaysEmitIntoClient package static var value: Traits { Traits(rawValue: 1 << 0) }
    @_alwaysEmitIntoClient package static var error: Traits { Traits(rawValue: 1 << 1) }
    /// The object is an `AdoptingReaction`.
    @_alwaysEmitIntoClient package static var adopts: Traits { Traits(rawValue: 1 << 2) }
    /// The reaction waits for an adopted promise. Its handler has returned, or it never had one.
    package static var forwards: Traits { Traits(rawValue: 1 << 3) }
    /// The object is a `CancelRequest`.
    package static var requests: Traits { Traits(rawValue: 1 << 4) }
    /// The handler runs once in any case, even if only its own promise is cancelled (rule 2.5).
    @_alwaysEmitIntoClient package static var always: Traits { Traits(rawValue: 1 << 5) }
    /// The object is a `ForkedReaction`.
    package static var forks: Traits { Traits(rawValue: 1 << 6) }
    /// The source is not the target's public parent, because it belongs to the library or is behind a shield.
    @_alwaysEmitIntoClient package static var hidesSource: Traits { Traits(rawValue: 1 << 7) }
    /// The handler makes an owner for the target. From then on, only that owner settles the target.
    package static var hasOwner: Traits { Traits(rawValue: 1 << 8) }
    /// A cancelled target does not give up the source (rule 4.10).
    @_alwaysEmitIntoClient package static var shields: Traits { Traits(rawValue: 1 << 9) }
    /// An observer that is not a consumer (rule 4.0). It is an observer of the library, which handles no rejection
    /// (rule 7.1), or an `onRejected`.
    @_alwaysEmitIntoClient package static var isNotConsumer: Traits { Traits(rawValue: 1 << 10) }
    /// A job that runs owners' hooks. The source is the first of their promises.
    static var runsHooks: Traits { Traits(rawValue: 1 << 11) }
    /// The source was made for the target alone. Every cancellation of the target gives up the source (rule 4.4).
    package static var owns: Traits { Traits(rawValue: 1 << 12) }
    /// A forked reaction has released its handler for the value, and keeps only that for an error.
    static var hasReleasedFulfilled: Traits { Traits(rawValue: 1 << 13) }
    /// The handler replaces an error. It does not run once its own promise was cancelled (rule 2.5).
    @_alwaysEmitIntoClient package static var recovers: Traits { Traits(rawValue: 1 << 15) }
  }
}
