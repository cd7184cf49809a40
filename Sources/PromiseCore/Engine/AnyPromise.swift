public import Synchronization

/// What all promises have in common, whatever their value: a promise whose type of value is not known.
///
/// You meet it as ``parent`` and ``root``. `Promise` is its only subclass.
///
/// ## The state cell
/// `CellWord` draws the states. Who owns each field in each state:
///
/// | field    | pending                          | claimed                     | done, closed                         |
/// |----------|----------------------------------|-----------------------------|--------------------------------------|
/// | `word`   | everybody, by compare-and-swap   | the same                    | the publisher closes it; then constant |
/// | `payload` | nobody                         | the claimer writes it, once | everybody reads it                   |
/// | `producer` | the link that will settle this promise; whoever ends that link retires it | the same | empty   |
/// | `family` | counts dead links; moved: refers to the other promise | the claimer writes the stripe | see `FamilyWord` |
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
  init(_ word: CellWord, site: Site) {
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
    if !state.isClaimed, side.isObserved { endUnobserved() }
    family.release()
    side.release()
  }

  // `Promise` knows its value.

  /// The name of the type, for a description.
  var typeText: String { "Promise" }
  /// The value of a promise that is known to be fulfilled, for a description.
  var valueText: String { "" }
}

extension AnyPromise {
  /// This promise was born settled, and now has its payload.
  @usableFromInline
  final func wasBorn() { if Diagnostics.isActive { joinScope() } }

  /// The state, with the payload if it says `done`.
  @usableFromInline final var cell: CellWord { CellWord(bits: word.load(ordering: .acquiring)) }

  /// The state without the payload: a first guess for a compare-and-swap, or read by the thread that published.
  final var cellHint: CellWord { CellWord(bits: word.load(ordering: .relaxed)) }

  /// The state, read after something was published, for who changes the state and then looks for that. All four are sequentially
  /// consistent: one of the two sees the other.
  final var cellInOrder: CellWord { CellWord(bits: word.load(ordering: .sequentiallyConsistent)) }

  /// Fulfilled, for the last who holds it.
  final var hasValue: Bool {
    let state = cellHint
    return state.isDone && !state.isRejected
  }

  /// Nobody has won the right to settle it. A promise that was dissolved counts as claimed.
  final var isUnclaimed: Bool { cellHint.isOpen }

  /// The promise itself, or the one that it was dissolved into.
  @usableFromInline final var resolved: AnyPromise {
    var promise = self
    while promise.cell.isMoved { promise = promise.forwardee }
    return promise
  }

  /// The state of that.
  private var resolvedCell: CellWord {
    let state = cell
    return state.isMoved ? resolved.cell : state
  }

  /// Written, and retained, before `moved` was released; constant since.
  final var forwardee: AnyPromise { family.forwardee }
}

// MARK: - Reading

extension AnyPromise {
  /// The promise is neither fulfilled nor rejected yet.
  public final var isPending: Bool { !resolvedCell.isDone }

  /// The promise has a value.
  public final var isFulfilled: Bool {
    let state = resolvedCell
    return state.isDone && !state.isRejected
  }

  /// The promise has an error.
  public final var isRejected: Bool {
    let state = resolvedCell
    return state.isDone && state.isRejected
  }

  /// The promise was rejected by a cancellation: its error carries the cancelled mark (rule 1.2).
  public final var isCancelled: Bool {
    let state = resolvedCell
    return state.isDone && state.isCancelled
  }

  /// The promise from which this one was derived by a link, as long as this one waits for it or runs its handler (rule 6.3).
  ///
  /// `nil` for a promise that its owner settles; for one whose handler has returned a promise; and for any from the moment on in which somebody is settling it, when
  /// ``isPending`` may still be true.
  ///
  /// - Complexity: O(1). May allocate 80 bytes for a settled parent, once, so that a cancellation of the parent finds this promise.
  public final var parent: AnyPromise? {
    let child = resolved
    guard let source = child.producer.read(Link.self, { $0.traits.contains(.hidesSource) ? nil : $0.source }) else {
      return nil
    }
    return child.showSource(source) ? source : nil
  }

  /// The furthest ancestor that can be reached through pending promises; the promise itself if it has no parent.
  ///
  /// - Complexity: O(*n*), where *n* is the number of pending ancestors.
  public final var root: AnyPromise {
    var promise = self
    while let parent = promise.parent { promise = parent }
    return promise
  }
}
