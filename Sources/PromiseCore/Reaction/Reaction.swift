import Synchronization

/// What the engine must do with the derived promise after a body has returned.
@safe @usableFromInline
package enum Verdict {
  /// The body has claimed the promise and written its payload. The engine publishes it.
  case settled
  /// There is nothing to publish. Another thread has settled the promise, or there is no promise.
  case nothing
  /// The promise adopts another. The reference to that promise is counted by hand, so that the engine can test whether
  /// it is the only reference. The function copies the value of the adopted promise.
  case adopts(Unmanaged<AnyPromise>, ReactionFunction)
  /// Returned by an observer that runs inside the settling call. The engine publishes the promise, if any, which the
  /// observer has claimed, and then gives up the departures.
  case settles(AnyPromise?, givingUp: [Departure])
  /// A Task must run this closure, which claims the derived promise. Returned only by reactions on an
  /// `AwaitingContext`.
  case awaits(@Sendable () async -> Verdict)
}

/// The edge from a promise to a dependent of it. A reaction is a handler with its derived promise, an observer, or an
/// adoption.
///
/// ## Owner of the reaction
/// Invariant: exactly one place at a time holds the reference that keeps a reaction alive. First this is the list of
/// the promise for which the reaction waits. Then it is the job that its context runs, or the frame that fires the
/// reaction. If its handler has returned a promise, it is the list of that promise. So a context that drops a job
/// releases the reaction, and `deinit` knows that nothing else will settle the target.
///
/// ## Owners of the fields
/// - `word`: see `ReactionWord`.
/// - `source` and `target` are counted by hand, so that the thread that runs a handler reads them without counting.
/// - `source`: constant until the owner of the reaction releases it. A reaction in a list does not retain its source,
///   because the source is pending and the object that will settle it retains it. A reaction that was fired retains its
///   source. So every reference to a pending promise belongs to a client, or to the object that will settle the
///   promise.
/// - `target`: retained, and constant until the thread that has won the reaction (by `start` or `detach`) takes it.
/// - `body`: belongs to the thread that has won the reaction.
/// - `contextOrPlace`: first the context, which is counted by hand. The thread that first fires, starts or detaches the
///   reaction takes the context over, because neither a job nor a dead entry may retain an abandoned context. It does
///   not write the field. Later, the place of the fired reaction in its family tree, guarded by the stripe.
///
/// `@safe`, because the two counted references are released in `deinit`, and otherwise replaced by their owners only.
/// `@unchecked Sendable`, because the fields are plain, and pass from owner to owner by the read-modify-writes named
/// above.
@safe @usableFromInline
package class Reaction: @unchecked Sendable {
  final let word: Atomic<UInt64>
  final var sourceReference: Unmanaged<AnyPromise>?
  final var targetReference: Unmanaged<AnyPromise>?
  final var body: ReactionBody?
  @safe @exclusivity(unchecked) final var contextOrPlace: ContextOrPlace

  #if DEBUG
    /// The context of the handler, kept after the reaction was fired, for the detection of deadlocks (rule 7.2).
    /// Constant, so that any thread may read it through a pin. Weak, so that the jobs of an abandoned context do not
    /// retain it.
    private(set) final weak var debugContext: (any ExecutionContext)?
  #else
    final var debugContext: (any ExecutionContext)? { nil }
  #endif

  init(
    from source: AnyPromise?, to target: AnyPromise?, on context: (any ExecutionContext)?, traits: Traits,
    body: consuming ReactionBody?
  ) {
    word = Atomic(ReactionWord(traits).bits)
    unsafe sourceReference = source.map { unsafe .passUnretained($0) }
    unsafe targetReference = target.map { unsafe .passRetained($0) }
    contextOrPlace = context.map { .context(StoredContext(retaining: $0)) } ?? .neither
    self.body = body
    #if DEBUG
      debugContext = context
    #endif
  }

  deinit {
    // A reaction that has ended has released its target. This reaction has not ended.
    if unsafe targetReference != nil { endUnrun() }
    if state.retainsContext { _ = takeContext() }
    dropSource()
  }
}

extension Reaction {
  /// The context of a waiting reaction, or the family place of a fired reaction. No reaction has both, so they share
  /// their storage.
  enum ContextOrPlace {
    case neither
    /// The handler of the reaction runs on this context. While the reaction waits, it retains the context.
    case context(StoredContext)
    /// The reaction was fired, and has a place in a family tree. Guarded by the stripe of the family.
    case place(FamilyPlace)
  }

  /// Whether the handler of this waiting reaction runs on a context.
  final var hasContext: Bool { storedContext != nil }

  /// The context, which is not retained by this reaction if another thread has taken it over.
  final var storedContext: StoredContext? {
    if case .context(let context) = contextOrPlace { context } else { nil }
  }

  /// Takes over the context. Only for the thread that was the first to fire, start or detach the reaction, and for
  /// `deinit`.
  final func takeContext() -> (any ExecutionContext)? { storedContext?.take() }

  /// Ends a reaction that is deallocated without having run, because it was detached or because its context dropped the
  /// job (rule 6.2).
  @inline(never)
  private func endUnrun() {
    guard let target = unsafe targetReference?.takeUnretainedValue() else { return }
    if state.isFired {
      // The target of a dropped job keeps the progress that it has made (rule 5.2). Only the reaction knows that
      // progress.
      if target.isUnclaimed { target.keepProgress() }
      markDropped()
      leaveFamily(hasSettled: false)
    }
    // After this, no other thread reaches this reaction.
    _ = target.producer.retire(location(of: self))
    if state.isFired { forgetEarlyUnderStripe() }
    dropTarget()
    guard target.isUnclaimed else { return }
    DeferredSettlements.reject(target, with: .contextDropped(createdAt: CreationSite(target.site)))
  }

  /// The promise whose outcome the reaction waits for. `nil` for an adoption by an owner, and for a reaction that
  /// starts a root.
  final var source: AnyPromise? { unsafe sourceReference?.takeUnretainedValue() }

  /// The promise that the reaction settles. `nil` for an observer, and for a reaction that was detached.
  final var target: AnyPromise? { unsafe targetReference?.takeUnretainedValue() }

  /// The target, unless it is closed.
  final var openTarget: AnyPromise? { target.flatMap { $0.acquiredState.isClosed ? nil : $0 } }

  /// The target, unless it is closed, if it is below the promise whose list the reaction is in. A promise that has
  /// adopted or follows the owner of that list is not below it (rule 4.0). Only for the owner of the list.
  final var targetBelow: AnyPromise? { traits.contains(.forwards) ? nil : targetInList }

  /// The target, unless it is closed, for any reaction in a list that the caller owns. The owner of the list does not
  /// own the target of an adoption: the thread that ends the adoption releases the target, but only after the edge is
  /// unpinned.
  final var targetInList: AnyPromise? {
    return traits.contains(.forwards) ? asAdopting.adopted.read(AnyPromise.self) { _ in openTarget } : openTarget
  }

  /// Releases the target. The caller has won the reaction.
  final func dropTarget() {
    let target = unsafe targetReference
    unsafe targetReference = nil
    unsafe target?.release()
  }

  /// Releases the source. No thread reaches this reaction through its target any more.
  final func dropSource() {
    let source = unsafe sourceReference
    unsafe sourceReference = nil
    if state.isFired { unsafe source?.release() }
  }

  /// Replaces the source, which was collapsed before the reaction reached its list.
  final func redirect(to source: AnyPromise) { unsafe sourceReference = .passUnretained(source) }

  /// Marks the reaction as fired by its settled source, which it retains from now on. Returns `false` and changes
  /// nothing if another thread has won the reaction by `detach`.
  ///
  /// Sequentially consistent. Pairs with the load in `hasStablePlace`.
  @discardableResult
  final func markFired() -> Bool {
    var old = state
    while !old.isDetached || old.isStarted {
      let (exchanged, found) = word.compareExchange(
        expected: old.bits, desired: old.bits | ReactionWord.firedBit, successOrdering: .sequentiallyConsistent,
        failureOrdering: .relaxed)
      if exchanged {
        if !old.isFired { _ = unsafe sourceReference?.retain() }
        return true
      }
      old = ReactionWord(bits: found)
    }
    return false
  }

  /// Marks a reaction that waits for no promise as fired on this context.
  final func markFired(on context: any ExecutionContext) {
    #if DEBUG
      debugContext = context
    #endif
    markFired()
  }

  /// Whether the reaction holds the only strong reference to its target.
  final var holdsOnlyStrongReferenceToTarget: Bool { unsafe Self.isUnique(targetReference) }

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
  /// The word. Relaxed, because the bits that are read here are constant or belong to the caller.
  final var state: ReactionWord { ReactionWord(bits: word.load(ordering: .relaxed)) }

  final var traits: Traits { state.traits }

  /// Points to the next reaction of a list that the caller owns. Relaxed, because the list is published as a whole.
  final func point(to next: UInt64) {
    let flip = state.flip(next: next)
    if flip != 0 { word.bitwiseXor(flip, ordering: .relaxed) }
  }

  /// Claims the right to run the reaction, and returns the word before. The caller has won the reaction if that word
  /// says neither `started` nor `detached`.
  ///
  /// Acquiring and releasing. Pairs with itself and with `detach`: the loser releases the reaction after the winner's
  /// changes.
  final func start() -> ReactionWord {
    ReactionWord(bits: word.bitwiseOr(ReactionWord.startedBit, ordering: .acquiringAndReleasing).oldValue)
  }

  /// Detaches the reaction, so that it does not run, and returns the word before. Returns `nil` if the reaction was
  /// started or detached before. The winner owns the bodies and, unless the reaction was fired, the context.
  ///
  /// Acquiring and releasing. Pairs with itself, with `start`, and with `markFired`.
  final func detach() -> ReactionWord? {
    let before = ReactionWord(bits: word.bitwiseOr(ReactionWord.detachedBit, ordering: .acquiringAndReleasing).oldValue)
    return before.isStarted || before.isDetached ? nil : before
  }

  /// Detaches the reaction unless its source has fired it. Returns `false` if the reaction was fired, started or
  /// detached before. The winner owns the bodies and the context.
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

  /// Whether the target has the outcome of the adopted promise. Relaxed, because the bit belongs to the thread that has
  /// won the adoption.
  final var hasSettledTarget: Bool { state.hasSettled }

  final func markSettledTarget() { word.bitwiseOr(ReactionWord.settledBit, ordering: .relaxed) }

  /// Changes the traits after the handler has returned a promise. From now on the reaction handles no outcome, and only
  /// forwards that of the adopted promise.
  final func becomeForward() {
    let flip = traits.intersection([.value, .error]).union(.forwards)
    // Relaxed, because the push onto the adopted promise publishes it. In one step, because other threads change other
    // bits.
    word.bitwiseXor(UInt64(flip.rawValue) << 48, ordering: .relaxed)
  }
}
