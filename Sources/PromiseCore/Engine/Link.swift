import Synchronization

/// What a link does when its turn comes, built by the generic methods of `Promise` where all types are concrete.
///
/// `from` is the promise whose outcome is at hand; `to` is the derived promise (`from` again for an observer). The body
/// runs the user's handler if it has one for this outcome, else it hands on the value of `from`; errors without a
/// handler never get here. It claims `to` and writes its payload; publishing is left to the engine, after the body and
/// all it captured have been released (rule 2.4).
@usableFromInline
package typealias LinkBody = @Sendable (_ from: AnyPromise, _ to: AnyPromise) -> Verdict

/// What became of the derived promise.
@safe @usableFromInline
package enum Verdict {
  /// It was claimed and its payload written; the engine publishes it.
  case settled
  /// Nothing to publish: it was settled by somebody else before, or there is none.
  case nothing
  /// It becomes what this promise becomes; the closure copies a value from one to the other.
  /// With the reference to it, counted by hand, so that it can be known whether anybody else holds it.
  case adopts(Unmanaged<AnyPromise>, LinkBody)
}

/// The edge from a promise to what waits for it: a handler with its derived promise, an observer, an adopter.
///
/// ## Who owns it
/// Exactly one place at a time holds the reference that keeps a link alive: the list of the promise it waits for, then the
/// job that its context runs or the frame that fires it, then, if its handler returned a promise, the list of that one.
/// So a context that drops a job frees the link, and `deinit` knows that its promise will never be settled otherwise.
///
/// ## Who owns its fields
/// - `word`: see `LinkWord`.
/// - `source`, `target`: counted by hand, so that the way of the handlers reads them without counting.
/// - `source`: constant. Not retained while the link is in its list, for it is pending then and kept by what will settle
///   it; retained from the moment when it fires the link. So a reference to a pending promise is always a user's, or
///   that of what will settle it.
/// - `target`: strong, constant until whoever won the link (`start` or `detach`) takes it.
/// - `body`: belongs to whoever won the link.
/// - `context`: belongs to whoever fires the link, and is let go then: a context that is given up with jobs in it must not be kept
///   alive by them.
/// - `home`, `indexInHome`: where an active link is listed, guarded by the lock of the scopes.
///
/// `@safe`: the two counted references are released in `deinit`, and replaced by their owners only.
/// `@unchecked Sendable`: the fields are plain, and handed from owner to owner by the read-modify-writes named above.
@safe @usableFromInline
package class Link: @unchecked Sendable {
  /// What the link wants to see; what it does not handle passes through it without a hop (rule 2.3).
  @usableFromInline
  package struct Traits: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt16
    @inlinable package init(rawValue: UInt16) { self.rawValue = rawValue }
    @inlinable package static var value: Traits { Traits(rawValue: 1 << 0) }
    @inlinable package static var error: Traits { Traits(rawValue: 1 << 1) }
    /// The object is an `AdoptingLink`.
    @inlinable package static var adopts: Traits { Traits(rawValue: 1 << 2) }
    /// It is waiting for an adopted promise: its handler has run, or it never had one.
    package static var forwards: Traits { Traits(rawValue: 1 << 3) }
    /// The object is a `CancelRequest`.
    package static var requests: Traits { Traits(rawValue: 1 << 4) }
    /// The handler runs once in any case, also if only its own promise is cancelled (rule 2.5).
    @inlinable package static var always: Traits { Traits(rawValue: 1 << 5) }
  }

  final let word: Atomic<UInt64>
  final var sourceReference: Unmanaged<AnyPromise>?
  final var targetReference: Unmanaged<AnyPromise>?
  final var body: LinkBody?
  final var context: (any ExecutionContext)?
  final var home: KinScope?
  final var indexInHome = 0

  init(
    from source: AnyPromise?, to target: AnyPromise?, on context: (any ExecutionContext)?, traits: Traits,
    body: consuming @escaping LinkBody
  ) {
    word = Atomic(LinkWord(traits).bits)
    unsafe sourceReference = source.map { unsafe .passUnretained($0) }
    unsafe targetReference = target.map { unsafe .passRetained($0) }
    self.context = context
    self.body = body
  }

  deinit {
    // A link that ends lets its target go. This one did not get so far.
    if unsafe targetReference != nil { leaveUnended() }
    if state.isFired { unsafe sourceReference?.release() }
  }
}

extension Link {
  /// The link is going without having run: it was detached, or its context dropped the job (rule 6.2).
  @inline(never)
  private func leaveUnended() {
    guard let target = unsafe targetReference?.takeUnretainedValue() else { return }
    // First of all: from here on nobody reaches this link.
    _ = target.producer.retire(location(of: self))
    if state.isFired { leaveKin() }
    dropTarget()
    guard target.isUnclaimed else { return }
    LostPromises.reject(target, with: .contextDropped(createdAt: CreationSite(target.site)))
  }

  /// The promise whose outcome the link waits for; `nil` for a forward of an owner's.
  final var source: AnyPromise? { unsafe sourceReference?.takeUnretainedValue() }

  /// The promise that the link settles; `nil` for an observer, and for a link that was detached.
  final var target: AnyPromise? { unsafe targetReference?.takeUnretainedValue() }

  /// The target, for the owner of the list that the link is in. To own the list is not to own the target of a forward: who
  /// ends its edge lets the target go, but not while the edge is pinned.
  fileprivate final var targetInList: AnyPromise? {
    traits.contains(.forwards) ? asAdopting.inner.read(AnyPromise.self) { _ in target } : target
  }

  /// Lets the target go. The caller has won the link.
  final func dropTarget() {
    let target = unsafe targetReference
    unsafe targetReference = nil
    unsafe target?.release()
  }

  /// The source was dissolved before the link reached its list.
  final func redirect(to source: AnyPromise) { unsafe sourceReference = .passUnretained(source) }

  /// The source is settled, and fires the link: from now on it is retained. Relaxed: read by those who get the link from here.
  final func becomeFired() {
    let before = LinkWord(bits: word.bitwiseOr(LinkWord.firedBit, ordering: .relaxed).oldValue)
    if !before.isFired { _ = unsafe sourceReference?.retain() }
  }

  /// Whether the link holds the only reference to its target.
  final var holdsTargetAlone: Bool { unsafe Self.isUnique(targetReference) }

  /// Whether the link holds the only reference to its source.
  final var holdsSourceAlone: Bool { unsafe Self.isUnique(sourceReference) }

  static func isUnique(_ reference: Unmanaged<AnyPromise>?) -> Bool {
    guard var promise = unsafe reference?.takeRetainedValue() else { return false }
    let isUnique = isKnownUniquelyReferenced(&promise)
    _ = unsafe Unmanaged.passRetained(promise)
    return isUnique
  }
}

/// A link whose promise adopts another: the one its handler returned, or the one its owner follows.
///
/// - `inner`: the adopted promise, not kept alive: its own producer does that. Who retires it has won the adoption: the
///   thread that settles the adopted promise forwards the outcome; a thread that detaches takes a consumer away.
/// - `elder`: the link of an earlier `follow` of the same promise (rule 3.4). Written before the link is published.
package final class AdoptingLink: Link, @unchecked Sendable {
  let inner = PinnedReference()
  final var elder: AdoptingLink?

  deinit {
    // A long line of elders is let go one by one, not by recursion (rule 6.4).
    while elder != nil, isKnownUniquelyReferenced(&elder) {
      let next = elder?.elder
      elder?.elder = nil
      elder = next
    }
  }
}

// MARK: - The word

extension Link {
  /// Relaxed: the bits read here are constant, or belong to the caller.
  final var state: LinkWord { LinkWord(bits: word.load(ordering: .relaxed)) }

  final var traits: Traits { state.traits }

  /// Points to the next link of a list that the caller owns. Relaxed: the list is published as a whole.
  final func point(to next: UInt64) {
    let flip = state.flip(next: next)
    if flip != 0 { word.bitwiseXor(flip, ordering: .relaxed) }
  }

  /// Who may run the link: the first to ask, if it was not detached before. Acquiring and releasing: the loser's drop of
  /// the link must come after all that the winner did with it.
  final func start() -> LinkWord {
    LinkWord(bits: word.bitwiseOr(LinkWord.startedBit, ordering: .acquiringAndReleasing).oldValue)
  }

  /// Takes the link out of play. `false`: it was started, or detached before. The winner owns `body` and `target`.
  final func detach() -> Bool {
    let before = LinkWord(bits: word.bitwiseOr(LinkWord.detachedBit, ordering: .acquiringAndReleasing).oldValue)
    return !before.isStarted && !before.isDetached
  }

  /// The outcome of the adopted promise became that of the target. Relaxed: belongs to whoever won the adoption.
  final var hasSettledTarget: Bool { state.hasSettled }

  final func markSettledTarget() { word.bitwiseOr(LinkWord.settledBit, ordering: .relaxed) }

  /// The handler has returned a promise: from now on the link handles nothing and only forwards.
  final func becomeForward() {
    // Relaxed: published by the push onto the adopted promise.
    word.bitwiseAnd(~(UInt64((Traits([.value, .error])).rawValue) << 48), ordering: .relaxed)
    word.bitwiseOr(UInt64(Traits.forwards.rawValue) << 48, ordering: .relaxed)
  }
}

// MARK: - Lists

/// Links in the order of their attachment, owned by whoever holds the value.
struct LinkList {
  private var first: UInt64 = 0
  private var last: UInt64 = 0

  init() {}

  /// The list that was taken from a promise, newest first, turned round.
  init(newest: UInt64) {
    last = newest
    var link = newest
    while link != 0 {
      let reference = unsafe Unmanaged<Link>.at(link)
      let next = unsafe reference._withUnsafeGuaranteedRef { link in
        let next = link.state.next
        link.point(to: first)
        return next
      }
      first = link
      link = next
    }
  }

  var isEmpty: Bool { first == 0 }
  var hasOne: Bool { first == last }

  /// Appends a link, whose reference the list takes over.
  mutating func append(_ link: consuming Link) {
    link.point(to: 0)
    let reference = unsafe Unmanaged.passRetained(link)
    let address = unsafe UInt64(UInt(bitPattern: reference.toOpaque()))
    if first == 0 {
      first = address
    } else {
      unsafe Unmanaged<Link>.at(last)._withUnsafeGuaranteedRef { $0.point(to: address) }
    }
    last = address
  }

  mutating func append(_ other: consuming LinkList) {
    guard !other.isEmpty else { return }
    if first == 0 {
      first = other.first
    } else {
      unsafe Unmanaged<Link>.at(last)._withUnsafeGuaranteedRef { $0.point(to: other.first) }
    }
    last = other.last
  }

  /// The promises that the links would settle.
  func targets() -> [AnyPromise] {
    var targets: [AnyPromise] = []
    var link = first
    while link != 0 {
      unsafe Unmanaged<Link>.at(link)._withUnsafeGuaranteedRef {
        if let target = $0.targetInList { targets.append(target) }
        link = $0.state.next
      }
    }
    return targets
  }

  /// Takes the first link out, with the reference to it.
  mutating func popFirst() -> Link? {
    guard first != 0 else { return nil }
    let link = unsafe Unmanaged<Link>.at(first).takeRetainedValue()
    first = link.state.next
    if first == 0 { last = 0 }
    return link
  }

  /// Turns the list round again, newest first, as a promise holds it. The caller takes the references over.
  consuming func newestFirst() -> UInt64 { LinkList(newest: first).first }
}
