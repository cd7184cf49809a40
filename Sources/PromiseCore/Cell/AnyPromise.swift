public import Synchronization

/// What all promises have in common, whatever their value: a promise whose type of value is not known.
///
/// You meet it as ``parent`` and ``root``. `Promise` is its only subclass.
///
/// ## The state cell
/// `StateWord` draws the states. Who owns each field in each state:
///
/// | field    | pending                          | claimed                     | done, closed                         |
/// |----------|----------------------------------|-----------------------------|--------------------------------------|
/// | `word`   | everybody, by compare-and-swap   | the same                    | the publisher closes it; then constant |
/// | `payload` | nobody                         | the claimer writes it, once | everybody reads it                   |
/// | `producer` | the reaction that will settle this promise; whoever ends that reaction retires it | the same | empty   |
/// | `family` | counts dead reactions; forwarded: refers to the other promise | the claimer writes the stripe | see `FamilyWord` |
/// | `side`   | anybody makes the table, once    | the same                    | the same                             |
/// | `site`   | constant                         |                             |                                      |
///
/// The payload is written after the claim and before the publishing exchange, which releases it; readers load `word` with
/// acquire and read the payload only if it says `done`. Settling, attaching and adopting take no lock, except that promises below
/// a settled promise that is held stand in a tree, which is guarded by one of 64 locks (`FamilyNode`).
///
/// `@unchecked Sendable`: the plain fields are `payload`, for the reason above, and `site`, which is constant.
public class AnyPromise: @unchecked Sendable {
  @usableFromInline final let word: Atomic<UInt64>
  final let family = FamilyWord()
  final let producer: PinnedReference
  final let side = SideReference()
  /// Where this promise was made.
  @usableFromInline final let site: Site
  /// A value or an error, see `AnyPromise+Payload.swift`. Without exclusivity checks: it is written once, by the claimer, and
  /// read only after it was published.
  @exclusivity(unchecked) @usableFromInline final var payload: Payload

  @usableFromInline
  init(_ word: StateWord, site: Site) {
    self.word = Atomic(word.bits)
    producer = PinnedReference()
    self.site = site
    unsafe payload = (0, 0)
    // One that is born settled has no payload yet: `wasBorn`.
    if Diagnostics.isActive, !word.isDone { joinScope() }
  }

  deinit {
    let state = cellHint
    // A value is let go by `Promise`, which knows its type.
    if state.isRejected {
      if state.isUnhandled { reportUnhandledRejection() }
      destroyError()
    }
    if state.isForwarded, side.isClientPromise { releaseClientPromise() }
    #if DEBUG
      reportUnreadMappedValue()
    #endif
    family.release()
    side.release()
  }

  /// A promise for clients that stands for a promise of an owner (`ClientPromise.swift`).
  init(standingFor source: AnyPromise) {
    word = Atomic(StateWord.bornForwarded.bits)
    producer = PinnedReference()
    site = source.site
    unsafe payload = (0, 0)
    side.markClientPromise()
    _ = family.setForwardee(source)
  }

  // `Promise` knows its value.

  /// The name of the type, for a description.
  var typeText: String { "Promise" }
  /// The value of a promise that is known to be fulfilled, for a description.
  var valueText: String { "" }
  /// Creates a promise of the same type that stands for this one.
  func makeClientPromise() -> AnyPromise { AnyPromise(standingFor: self) }
}

extension AnyPromise {
  /// This promise was born settled, and now has its payload.
  @usableFromInline
  final func wasBorn() { if Diagnostics.isActive { joinScope() } }

  /// The state, with the payload if it says `done`.
  @usableFromInline final var cell: StateWord { StateWord(bits: word.load(ordering: .acquiring)) }

  /// The state without the payload: a first guess for a compare-and-swap, or read by the thread that published.
  final var cellHint: StateWord { StateWord(bits: word.load(ordering: .relaxed)) }

  /// The state, read after something was published, for who changes the state and then looks for that. All four are sequentially
  /// consistent: one of the two sees the other.
  final var cellInOrder: StateWord { StateWord(bits: word.load(ordering: .sequentiallyConsistent)) }

  /// Fulfilled, for the last who holds it.
  final var hasValue: Bool {
    let state = cellHint
    return state.isDone && !state.isRejected
  }

  /// Nobody has won the right to settle it. A promise that was collapsed counts as claimed.
  final var isUnclaimed: Bool { cellHint.isOpen }

  /// The promise itself, or the one that it was collapsed into.
  @usableFromInline final var resolved: AnyPromise {
    var promise = self
    while promise.cell.isForwarded { promise = promise.forwardee }
    return promise
  }

  /// The state of `resolved`.
  final var resolvedCell: StateWord {
    let state = cell
    return state.isForwarded ? resolved.cell : state
  }

  /// Written, and retained, before `forwarded` was released; constant since.
  final var forwardee: AnyPromise { family.forwardee }
}
