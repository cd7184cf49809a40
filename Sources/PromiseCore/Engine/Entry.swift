import Synchronization

/// A promise together with what leads to it: a link, an observer, or anything else that waits for a promise, its
/// *source*.
///
/// `map` returns an entry. An observer is an entry whose promise no client sees. `Engine.swift` describes the stages of
/// an entry, and what guards its fields.
///
/// `@unchecked Sendable`, because of these guards.
@usableFromInline
class Entry<Value: Sendable>: Promise<Value>, @unchecked Sendable {
  /// Read through `AnyPromise.link`.
  @safe @exclusivity(unchecked) private final var storage: LinkFields

  /// Creates an entry that will wait for a source.
  ///
  /// - Parameter weight: the share of the link in the progress of the chain (rule 5.4).
  @usableFromInline
  init(from source: borrowing AnyPromise, at site: Site, _ traits: Traits, weight: Double) {
    // Before `super.init`, because the compiler counts a reference to the object for what comes after.
    let isObserver = traits.contains(.isObserver)
    let source = source.resolvedPointer
    var word = source.with { $0.acquiredState }.inherited(as: .waiting)
    let side = weight > 0 || word.weight == nil && !isObserver ? word.add(weight, after: source) : nil
    storage = LinkFields(traits)
    super.init(word, side, at: site, isNoted: !isObserver)
    assertLayout()
  }

  /// Creates an entry that waits for no source. Its handler is scheduled at once.
  @usableFromInline
  init(startingAt site: Site, _ traits: Traits) {
    storage = LinkFields(traits)
    let word = StateWord.root(at: 0).inherited(as: .waiting)
    super.init(word, nil, at: site, isNoted: false)
    // Relaxed, because no other thread knows this entry.
    self.word.store(word.inStripe(of: .root(at: PromisePointer(self).address)).bits, ordering: .relaxed)
    if Diagnostics.isActive, !traits.contains(.isObserver) { noteMade() }
    assertLayout()
  }

  deinit {
    assert(storage.body == nil, "An entry was deallocated with its handler.")
    // Before the value is released, which may run code of a client. The marks are not read before the stripe is
    // acquired, because their neighbours write them.
    if storage.traits.mayBeInTour { leaveTour() }
  }

  /// Invariant: the fields of a link follow those of `AnyPromise`.
  private final func assertLayout() {
    assert(
      unsafe withUnsafePointer(to: &storage) { unsafe $0 == UnsafePointer(link) }, "The fields of a link are elsewhere."
    )
  }
}

/// The fields that an entry has in addition to those of a promise.
///
/// `@safe`, because `Engine.swift` says who keeps alive what the pointers refer to.
@safe
struct LinkFields {
  // First, because ThreadSanitizer takes a change of one of the fields under the lock of the entry for a change of the
  // first one. A body that is taken without the lock belongs to the thread that has started the entry.
  var body: HandlerBody?
  /// The promise for which the entry waits. Retained in the stages `scheduled` and `running`.
  var source: PromisePointer?
  /// The neighbours in the list of the source. Guarded by the lock of the source.
  var next: PromisePointer?
  var previous: PromisePointer?
  /// The neighbours of the enter in the tour. Guarded by the stripe.
  var enter = TourLinks()
  /// Where the handler runs. `nil` if the entry has no handler, or is not waiting any more.
  var context: (any ExecutionContext)?
  let traits: Traits
  /// The thread that appends this adopter or follower to a list has not looked again yet. Only that thread writes it.
  /// While other threads know the entry, it does so under the lock of the entry, where they read it.
  var isToLookAgain = false
  /// A mark of the body, guarded by the lock of the entry. Of a link, that `isKept`. Of an observer, that
  /// `HandlerBody.retaining` has made it.
  var isBodyMarked = false
  #if DEBUG
    /// The context of the handler, kept after the entry was scheduled, for the detection of deadlocks (rule 7.2). Weak,
    /// so that the jobs of an abandoned context do not retain it.
    weak var debugContext: (any ExecutionContext)?
  #endif

  init(_ traits: Traits) { self.traits = traits }
}

extension AnyPromise {
  /// The fields of an entry.
  ///
  /// Safe, because `Entry` has them behind the fields of this class, whatever its type of value is, which it asserts.
  /// (An overridden accessor would be called a dozen times for each link.)
  @inline(__always)
  final var link: UnsafeMutablePointer<LinkFields> {
    unsafe UnsafeMutableRawPointer(Unmanaged.passUnretained(self).toOpaque())
      .advanced(by: Self.sizeOfPromise).assumingMemoryBound(to: LinkFields.self)
  }

  /// The size of the header of an object, and of the fields of this class.
  private static var sizeOfPromise: Int { MemoryLayout<PromiseLayout>.size }
}

/// The contents of an object of `AnyPromise`, in the same order.
@safe
private struct PromiseLayout {
  let header: (UInt, UInt)
  let word: UInt64
  let payload: Payload
  let head: UInt
  let tail: UInt
  let side: SideTable?
  let site: Site
}

/// An entry with a handler for each outcome. Its `body` is the handler for an error.
///
/// There are two bodies, because a cancelled entry releases only the handler for the value. The handler for an error
/// runs if the source is rejected later (rule 2.5).
///
/// `@unchecked Sendable`, because the field is guarded by the lock of the promise.
@usableFromInline
final class ForkedEntry<Value: Sendable>: Entry<Value>, @unchecked Sendable {
  @safe @exclusivity(unchecked) private var valueBody: HandlerBody?

  @usableFromInline
  init(
    from source: borrowing AnyPromise, at site: Site, by operation: Operation, weight: Double,
    valueBody: consuming HandlerBody
  ) {
    self.valueBody = valueBody
    super.init(
      from: source, at: site, [.value, .error, .forks, .keepsErrorHandler, .made(by: operation)], weight: weight)
  }

  override func takeValueBody() -> HandlerBody? { valueBody.take() }
  override func replaceValueBody(_ transform: (HandlerBody) -> HandlerBody) { valueBody = valueBody.map(transform) }
}

/// The outcomes that an entry handles, the kind of entry that it is, and the operator that made it. Constant.
@usableFromInline
package struct Traits: OptionSet, Sendable {
  @usableFromInline package let rawValue: UInt32
  @_alwaysEmitIntoClient package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The entry has a handler for a value. Without one, a value passes through without a hop (rule 2.3).
  @_alwaysEmitIntoClient package static var value: Traits { Traits(rawValue: 1 << 0) }
  /// The entry has a handler for an error. Without one, an error passes through.
  @_alwaysEmitIntoClient package static var error: Traits { Traits(rawValue: 1 << 1) }
  /// No client sees the promise of the entry.
  @_alwaysEmitIntoClient package static var isObserver: Traits { Traits(rawValue: 1 << 2) }
  /// An observer that is not a consumer (rule 4.0).
  @_alwaysEmitIntoClient package static var isNotConsumer: Traits { Traits(rawValue: 1 << 3) }
  /// The handler runs once in any case, even if only its own promise is cancelled (rule 2.5).
  @_alwaysEmitIntoClient package static var always: Traits { Traits(rawValue: 1 << 4) }
  /// The handler for an error runs if and only if the source is rejected, even if its own promise is cancelled (rule
  /// 2.5).
  @_alwaysEmitIntoClient package static var keepsErrorHandler: Traits { Traits(rawValue: 1 << 5) }
  /// The source is not the public parent, because it belongs to the library or is behind a shield.
  @_alwaysEmitIntoClient package static var hidesSource: Traits { Traits(rawValue: 1 << 6) }
  /// An observer that a cancellation takes back until its handler has started, also after its source is settled (rule
  /// 2.5).
  @_alwaysEmitIntoClient package static var isTakenBack: Traits { Traits(rawValue: 1 << 14) }
  /// The handler is for failures that the consumer still wants to hear of. If a cancellation drops it, a rejection of
  /// the source, past or future, counts as handled by it (rule 7.1).
  @_alwaysEmitIntoClient package static var isForFailures: Traits { Traits(rawValue: 1 << 15) }
  /// A cancelled entry does not give up its source (rule 4.10).
  @_alwaysEmitIntoClient package static var shields: Traits { Traits(rawValue: 1 << 7) }
  /// The source was made for this entry alone. Every cancellation of the entry gives up the source (rule 4.4).
  package static var owns: Traits { Traits(rawValue: 1 << 8) }
  /// The object is a `ForkedEntry`.
  static var forks: Traits { Traits(rawValue: 1 << 9) }
  /// The object is a `Follower`.
  static var follows: Traits { Traits(rawValue: 1 << 10) }
  /// A job that runs owners' hooks. The source is the first of their promises.
  static var runsHooks: Traits { Traits(rawValue: 1 << 12) }
  /// The object is an `OwnerMaker`.
  static var makesOwner: Traits { Traits(rawValue: 1 << 13) }
  /// The source is an input of a combination, whose result the entry may settle.
  static var isInput: Traits { Traits(rawValue: 1 << 11) }
  /// The source is a cleanup, which goes on if the entry is cancelled, and for whose end the entry is the promise (rule
  /// 2.10).
  static var awaitsCleanup: Traits { Traits(rawValue: 1 << 24) }

  /// An observer of the library by which something waits for the finish of its source (rule 2.11).
  static var awaitsFinish: Traits { Traits(rawValue: 1 << 25) }
  /// The closure of an operator has returned the source, and the entry is a step of the operator. It is not below the
  /// source: the outcome of the source settles it, as that of an adopted promise does (rule 4.0).
  static var isStep: Traits { Traits(rawValue: 1 << 26) }

  /// The operator that made the entry, in bits 16 to 23.
  @_alwaysEmitIntoClient package static func made(by operation: Operation) -> Traits {
    Traits(rawValue: UInt32(operation.rawValue) << 16)
  }
  package var operation: Operation? { Operation(rawValue: UInt8(truncatingIfNeeded: rawValue >> 16)) }
}

/// The fate of a handler that has not started when its promise is cancelled (rule 2.5).
enum WhenCancelled {
  /// The handler never runs.
  case drop
  /// The handler for an error runs if and only if the source is rejected.
  case keepForError
  /// The handler runs once: with the reason of the cancellation if the source is pending at that moment, otherwise with
  /// the outcome of the source.
  case runOnce
}

extension Traits {
  var whenCancelled: WhenCancelled {
    contains(.always) ? .runOnce : contains(.keepsErrorHandler) ? .keepForError : .drop
  }

  /// Whether the handler begins a cleanup (rule 2.10).
  var beginsCleanup: Bool { contains(.always) && isOfCleanup }

  /// Whether a link that waits for a cleanup has made the entry.
  var isOfCleanup: Bool { operation == .alwaysThen || operation == .asyncAlways }

  /// Whether the entry has a place below its source, where a cancellation finds it, even after the source is settled.
  ///
  /// A step of an operator has none (rule 4.0). The promise for the end of a cleanup has none, because the error of a
  /// cleanup does not replace an error, even if the cleanup was cancelled (rule 2.10).
  ///
  /// Invariant: no link is attached to an entry without a place, except to a step.
  var hasPlace: Bool { isDisjoint(with: [.isObserver, .awaitsCleanup, .isStep]) || contains(.isTakenBack) }

  /// Whether the entry leaves the tour when it is deallocated. A step may have an exit: a client may have revived a weak
  /// reference to the promise that the step has replaced, and have attached a link to it.
  var mayBeInTour: Bool { hasPlace || contains(.isStep) }

  /// Whether the entry has a handler for an outcome.
  func handles(_ outcome: StateWord) -> Bool { contains(outcome.isRejected ? .error : .value) }
}

extension AnyPromise {
  final var traits: Traits { unsafe link.pointee.traits }

  /// Whether this promise is an observer.
  final var isObserver: Bool { relaxedState.isEntry && traits.contains(.isObserver) }
}
