import Synchronization

/// What became of the derived promise.
@safe @usableFromInline
package enum Verdict {
  /// It was claimed and its payload written; the engine publishes it.
  case settled
  /// Nothing to publish: it was settled by somebody else before, or there is none.
  case nothing
  /// It becomes what this promise becomes; the closure copies a value from one to the other.
  /// With the reference to it, counted by hand, so that it can be known whether anybody else holds it.
  case adopts(Unmanaged<AnyPromise>, ReactionFunction)
  /// Of an observer that runs where its promise is settled: this promise, which is another, if any, was claimed, and the engine
  /// publishes it; and then these are given up.
  case settles(AnyPromise?, givingUp: [Departure])
  /// A Task must run this closure, which claims the derived promise. Only reactions on an `AwaitingContext` say so.
  case awaits(@Sendable () async -> Verdict)
}

/// The edge from a promise to what waits for it: a handler with its derived promise, an observer, an adopter.
///
/// ## Who owns it
/// Exactly one place at a time holds the reference that keeps a reaction alive: the list of the promise it waits for, then the
/// job that its context runs or the frame that fires it, then, if its handler returned a promise, the list of that one.
/// So a context that drops a job frees the reaction, and `deinit` knows that its promise will never be settled otherwise.
///
/// ## Who owns its fields
/// - `word`: see `ReactionWord`.
/// - `source`, `target`: counted by hand, so that the way of the handlers reads them without counting.
/// - `source`: constant until a forward is left, by who has won that. Not retained while the reaction is in its list, for it is pending
///   then and kept by what will settle it; retained from the moment when it fires the reaction. So a reference to a pending promise is
///   always a user's, or that of what will settle it.
/// - `target`: strong, constant until whoever won the reaction (`start` or `detach`) takes it.
/// - `body`: belongs to whoever won the reaction.
/// - `stand`: first the context. The thread that fires the reaction takes it out, because jobs must not keep an abandoned context
///   alive. A thread that detaches an `always` before the reaction is fired may take it, too. Later the place of the fired reaction in
///   its family tree, guarded by the stripe.
///
/// `@safe`: the two counted references are released in `deinit`, and replaced by their owners only.
/// `@unchecked Sendable`: the fields are plain, and handed from owner to owner by the read-modify-writes named above.
@safe @usableFromInline
package class Reaction: @unchecked Sendable {
  /// What the reaction wants to see; what it does not handle passes through it without a hop (rule 2.3).
  @usableFromInline
  package struct Traits: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt16
    @inlinable package init(rawValue: UInt16) { self.rawValue = rawValue }
    @inlinable package static var value: Traits { Traits(rawValue: 1 << 0) }
    @inlinable package static var error: Traits { Traits(rawValue: 1 << 1) }
    /// The object is an `AdoptingReaction`.
    @inlinable package static var adopts: Traits { Traits(rawValue: 1 << 2) }
    /// It is waiting for an adopted promise: its handler has run, or it never had one.
    package static var forwards: Traits { Traits(rawValue: 1 << 3) }
    /// The object is a `CancelRequest`.
    package static var requests: Traits { Traits(rawValue: 1 << 4) }
    /// The handler runs once in any case, also if only its own promise is cancelled (rule 2.5).
    @inlinable package static var always: Traits { Traits(rawValue: 1 << 5) }
    /// The object is a `ForkedReaction`.
    package static var forks: Traits { Traits(rawValue: 1 << 6) }
    /// The source is not shown as the target's parent: it is the library's own, or behind a shield.
    @inlinable package static var hidesSource: Traits { Traits(rawValue: 1 << 7) }
    /// The handler makes the owner of the target, which from then on is settled by that owner alone.
    package static var hasOwner: Traits { Traits(rawValue: 1 << 8) }
    /// A cancelled target does not give the source up (rule 4.10).
    @inlinable package static var shields: Traits { Traits(rawValue: 1 << 9) }
    /// An observer that is no consumer (rule 4.0): the library's own, which looks at no rejection (rule 7.1), or an `onRejected`.
    @inlinable package static var bystander: Traits { Traits(rawValue: 1 << 10) }
    /// The source was made for the target alone: given up with it in any case (rule 4.4).
    package static var owns: Traits { Traits(rawValue: 1 << 12) }
    /// A forked reaction has let go of the handler for the value: it keeps the one for errors only.
    static var halved: Traits { Traits(rawValue: 1 << 13) }
    /// The context was taken out of a fired `always`.
    static var contextTaken: Traits { Traits(rawValue: 1 << 14) }
    /// The handler makes something else of an error: it does not run once its own promise was cancelled (rule 2.5).
    @inlinable package static var recovers: Traits { Traits(rawValue: 1 << 15) }
  }

  final let word: Atomic<UInt64>
  final var sourceReference: Unmanaged<AnyPromise>?
  final var targetReference: Unmanaged<AnyPromise>?
  final var body: ReactionBody?
  @safe @exclusivity(unchecked) final var stand: Stand

  #if DEBUG
    /// As `context`, for whoever asks what a promise waits for (rule 7.2): it stays when the reaction is fired. Constant,
    /// so that any thread may read it through a pin; weak, for a context that is given up with jobs in it must not be
    /// kept alive by them.
    private weak var place: (any ExecutionContext)?

    final var placeIfKnown: (any ExecutionContext)? { place }
  #else
    final var placeIfKnown: (any ExecutionContext)? { nil }
  #endif

  init(
    from source: AnyPromise?, to target: AnyPromise?, on context: (any ExecutionContext)?, traits: Traits,
    body: consuming ReactionBody?
  ) {
    word = Atomic(ReactionWord(traits).bits)
    unsafe sourceReference = source.map { unsafe .passUnretained($0) }
    unsafe targetReference = target.map { unsafe .passRetained($0) }
    stand = context.map { .waiting(on: $0) } ?? .nowhere
    self.body = body
    #if DEBUG
      place = context
    #endif
  }

  deinit {
    // A reaction that ends lets its target go. This one did not get so far.
    if unsafe targetReference != nil { leaveUnended() }
    dropSource()
  }
}

extension Reaction {
  /// What a reaction that waits needs to know, and what one that is active does: never both, so in one place.
  enum Stand {
    case nowhere
    /// The handler is to run there.
    case waiting(on: any ExecutionContext)
    /// Fired, and in a family tree. Guarded by its stripe.
    case placed(FamilyPlace)
  }

  /// Where the handler is to run; `nil`: it runs none, or the reaction was fired.
  final var context: (any ExecutionContext)? {
    if case .waiting(let context) = stand { context } else { nil }
  }

  /// Lets the context go, to whoever fires the reaction.
  final func takeContext() -> (any ExecutionContext)? {
    guard case .waiting(let context) = stand else { return nil }
    stand = .nowhere
    return context
  }

  /// The reaction is going without having run: it was detached, or its context dropped the job (rule 6.2).
  @inline(never)
  private func leaveUnended() {
    guard let target = unsafe targetReference?.takeUnretainedValue() else { return }
    if state.isFired {
      // A job that is dropped leaves its promise as far as it had come (rule 5.2), which only the reaction tells.
      if target.isUnclaimed { target.keepProgress() }
      markDropped()
      leaveFamily(hasSettled: false)
    }
    // From here on nobody reaches this reaction.
    _ = target.producer.retire(location(of: self))
    if state.isFired { leaveSource() }
    dropTarget()
    guard target.isUnclaimed else { return }
    DeferredSettlements.reject(target, with: .contextDropped(createdAt: CreationSite(target.site)))
  }

  /// The promise whose outcome the reaction waits for; `nil` for a forward of an owner's, and for a reaction that starts a root.
  final var source: AnyPromise? { unsafe sourceReference?.takeUnretainedValue() }

  /// The promise that the reaction settles; `nil` for an observer, and for a reaction that was detached.
  final var target: AnyPromise? { unsafe targetReference?.takeUnretainedValue() }

  /// The target, unless it is closed.
  final var openTarget: AnyPromise? { target.flatMap { $0.cell.isClosed ? nil : $0 } }

  /// The same, for the owner of the list that the reaction is in, if it is below the owner of that: who has adopted it, or follows it, is
  /// not (rule 4.0).
  final var targetBelow: AnyPromise? { traits.contains(.forwards) ? nil : targetInList }

  /// The same for whatever reaction is in the list. To own the list is not to own the target of a forward: who
  /// ends its edge lets the target go, but not while the edge is pinned.
  final var targetInList: AnyPromise? {
    return traits.contains(.forwards) ? asAdopting.adopted.read(AnyPromise.self) { _ in openTarget } : openTarget
  }

  /// Lets the target go. The caller has won the reaction.
  final func dropTarget() {
    let target = unsafe targetReference
    unsafe targetReference = nil
    unsafe target?.release()
  }

  /// Lets the source go. Nobody reaches this reaction from its target any more.
  final func dropSource() {
    let source = unsafe sourceReference
    unsafe sourceReference = nil
    if state.isFired { unsafe source?.release() }
  }

  /// The source was collapsed before the reaction reached its list.
  final func redirect(to source: AnyPromise) { unsafe sourceReference = .passUnretained(source) }

  /// The source is settled, and fires the reaction: from now on it is retained.
  ///
  /// Sequentially consistent: pairs with the load in `hasStablePlace`.
  ///
  /// - Returns: whether there is something to fire: the reaction was not detached.
  @discardableResult
  final func markFired() -> Bool {
    let before = ReactionWord(bits: word.bitwiseOr(ReactionWord.firedBit, ordering: .sequentiallyConsistent).oldValue)
    if !before.isFired { _ = unsafe sourceReference?.retain() }
    return !before.isDetached
  }

  /// The reaction waits for nothing: it starts on this context.
  final func markFired(on context: any ExecutionContext) {
    #if DEBUG
      place = context
    #endif
    markFired()
  }

  /// Whether the reaction holds the only reference to its target.
  final var holdsTargetAlone: Bool { unsafe Self.isUnique(targetReference) }

  /// Whether the reaction holds the only reference to its target, counting weak and unowned references.
  final var holdsOnlyReferenceToTarget: Bool {
    unsafe targetReference.map { unsafe ReferenceCount.isOne($0) } ?? false
  }

  static func isUnique(_ reference: Unmanaged<AnyPromise>?) -> Bool {
    guard var promise = unsafe reference?.takeRetainedValue() else { return false }
    let isUnique = isKnownUniquelyReferenced(&promise)
    _ = unsafe Unmanaged.passRetained(promise)
    return isUnique
  }
}

// MARK: - The word

extension Reaction {
  /// Relaxed: the bits read here are constant, or belong to the caller.
  final var state: ReactionWord { ReactionWord(bits: word.load(ordering: .relaxed)) }

  final var traits: Traits { state.traits }

  /// Points to the next reaction of a list that the caller owns. Relaxed: the list is published as a whole.
  final func point(to next: UInt64) {
    let flip = state.flip(next: next)
    if flip != 0 { word.bitwiseXor(flip, ordering: .relaxed) }
  }

  /// Who may run the reaction: the first to ask, if it was not detached before. Acquiring and releasing: the loser's drop of
  /// the reaction must come after all that the winner did with it.
  final func start() -> ReactionWord {
    ReactionWord(bits: word.bitwiseOr(ReactionWord.startedBit, ordering: .acquiringAndReleasing).oldValue)
  }

  /// Takes the reaction out of play. `false`: it was started, or detached before. The winner owns `body` and `target`.
  final func detach() -> Bool {
    let before = ReactionWord(bits: word.bitwiseOr(ReactionWord.detachedBit, ordering: .acquiringAndReleasing).oldValue)
    return !before.isStarted && !before.isDetached
  }

  /// As `detach`, for who wants the context too: fails also if the source has fired the reaction, and so has taken that.
  final func detachBeforeFiring() -> Bool {
    var old = state
    while !old.isFired, !old.isStarted, !old.isDetached {
      let (exchanged, found) = word.compareExchange(
        expected: old.bits, desired: old.bits | ReactionWord.detachedBit, successOrdering: .acquiringAndReleasing,
        failureOrdering: .relaxed)
      if exchanged { return true }
      old = ReactionWord(bits: found)
    }
    return false
  }

  /// The outcome of the adopted promise became that of the target. Relaxed: belongs to whoever won the adoption.
  final var hasSettledTarget: Bool { state.hasSettled }

  final func markSettledTarget() { word.bitwiseOr(ReactionWord.settledBit, ordering: .relaxed) }

  /// The handler has returned a promise: from now on the reaction handles nothing and only forwards.
  final func becomeForward() {
    let flip = traits.intersection([.value, .error]).union(.forwards)
    // Relaxed: published by the push onto the adopted promise. In one step, for others change other bits.
    word.bitwiseXor(UInt64(flip.rawValue) << 48, ordering: .relaxed)
  }
}
