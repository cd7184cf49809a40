public import Synchronization

/// A promise whose type of value is not known.
///
/// Clients get one as ``parent`` or ``root``. `Promise` is the only subclass.
public class AnyPromise: @unchecked Sendable {
  // `StateWord` draws the states. These are the fields, and the threads that may access them:
  //
  // - `word`: the state. Any thread may change it, by compare-and-swap. Constant once the promise is closed.
  // - `payload`: the value or the error. No thread may access it while the promise is pending, only the claimer while
  //   it is claimed, and any thread may read it once it is done.
  // - `producer`: refers to the reaction that will settle this promise. The thread that ends the reaction retires it.
  // - `family`: counts dead entries while the promise is pending, and refers to the other promise once it is forwarded.
  //   The claimer writes the stripe. Afterwards see `FamilyWord`.
  // - `side`: refers to the side table, which any thread may create, once.
  // - `site`: constant.
  //
  // Invariant: the payload is written after the claim and before the publishing exchange, which releases it. Readers
  // load `word` with acquiring order, and read the payload only if the word says `done`.
  //
  // Settling, attaching and adopting take no lock, with one exception. What is pending below a settled promise that is
  // held is recorded in a tree, which is guarded by one of 64 locks (`FamilyNode`).
  //
  // `@unchecked Sendable`: the plain fields are `payload`, which follows the invariant, and `site`, which is constant.
  @usableFromInline final let word: Atomic<UInt64>
  final let family = FamilyWord()
  final let producer: PinnedReference
  final let side = SideReference()
  /// Where this promise was made.
  @usableFromInline final let site: Site
  /// A value or an error, see `AnyPromise+Payload.swift`. Needs no exclusivity checks, because the claimer writes it
  /// once, and it is read only after it was published.
  @exclusivity(unchecked) @usableFromInline final var payload: Payload

  @usableFromInline
  init(_ word: StateWord, site: Site) {
    self.word = Atomic(word.bits)
    producer = PinnedReference()
    self.site = site
    unsafe payload = (0, 0)
    // A promise that is created settled has no payload yet. `didInitSettled` joins the scope then.
    if Diagnostics.isActive, !word.isDone { joinScope() }
  }

  deinit {
    let state = relaxedState
    // `Promise` releases a value, because it knows the type.
    if state.isRejected {
      if state.isUnhandled { reportUnhandledRejection() }
      destroyError()
    }
    if state.isForwarded, side.isClientPromise { releaseClientPromise() }
    if state.isOpen, state.head != 0 { releaseReactions(newest: state.head) }
    #if DEBUG
      reportUnreadMappedValue()
    #endif
    family.release()
    side.release()
  }

  /// Creates a client promise, which stands for an owner's promise (`ClientPromise.swift`).
  init(standingFor source: AnyPromise) {
    word = Atomic(StateWord.initiallyForwarded.bits)
    producer = PinnedReference()
    site = source.site
    unsafe payload = (0, 0)
    side.markClientPromise()
    _ = family.setForwardee(source)
  }

  // `Promise` overrides these, because it knows the type of the value.

  /// The name of the type, for a description.
  var typeText: String { "Promise" }
  /// The value of a fulfilled promise, for a description.
  var valueText: String { "" }
  /// Creates a client promise of the same type that stands for this promise.
  func makeClientPromise() -> AnyPromise { AnyPromise(standingFor: self) }
}

extension AnyPromise {
  /// Called for a promise that was created settled, once it has its payload.
  @usableFromInline
  final func didInitSettled() { if Diagnostics.isActive { joinScope() } }

  /// The state. If it says `done`, the payload may be read. Acquiring: pairs with the publishing exchange in
  /// `publishTakingReactions`.
  @usableFromInline final var acquiredState: StateWord { StateWord(bits: word.load(ordering: .acquiring)) }

  /// The state, loaded relaxed. It says nothing about the payload, except to the thread that published it. Also a first
  /// guess before a compare-and-swap.
  final var relaxedState: StateWord { StateWord(bits: word.load(ordering: .relaxed)) }

  /// The state, loaded with sequential consistency.
  ///
  /// For a thread that has published something and then checks the state, while another thread changes the state and
  /// then looks for what was published. As all four operations are sequentially consistent, one of the threads sees the
  /// other.
  final var stateInOrder: StateWord { StateWord(bits: word.load(ordering: .sequentiallyConsistent)) }

  /// The promise is fulfilled. For `deinit`, where no other thread has a reference.
  final var hasValue: Bool {
    let state = relaxedState
    return state.isDone && !state.isRejected
  }

  /// No thread has won the right to settle this promise. A collapsed promise counts as claimed.
  final var isUnclaimed: Bool { relaxedState.isOpen }

  /// This promise, or the promise into which it was collapsed.
  @usableFromInline package final var resolved: AnyPromise {
    var promise = self
    while promise.acquiredState.isForwarded { promise = promise.forwardee }
    return promise
  }

  /// The state of `resolved`.
  final var resolvedState: StateWord {
    let state = acquiredState
    return state.isForwarded ? resolved.acquiredState : state
  }

  /// The promise to which this one forwards. Written and retained before the exchange to `forwarded` releases it, and
  /// constant since then.
  final var forwardee: AnyPromise { family.forwardee }
}
