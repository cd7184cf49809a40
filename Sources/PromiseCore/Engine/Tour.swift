internal import CPromiseSystem

// The tour: what is below settled promises (rule 4.2), as parentheses in a circular list. `Engine.swift` describes it.

/// A place in the tour of a family: the enter or the exit of a promise, or a cursor. It is stored in one word: the two
/// low bits of the address say which.
///
/// `@safe`, because a mark is in a tour only while the object that has it is alive: a promise removes its marks when it
/// is deallocated, and a walk its cursors.
@safe
enum TourMark {
  case enter(PromisePointer)
  case exit(PromisePointer)
  case cursor(Unmanaged<TourCursor>)

  static func enter(_ promise: AnyPromise) -> TourMark { .enter(PromisePointer(promise)) }
  static func exit(_ promise: AnyPromise) -> TourMark { .exit(PromisePointer(promise)) }
  static func cursor(_ cursor: TourCursor) -> TourMark { unsafe .cursor(.passUnretained(cursor)) }

  private static let exitBit: UInt = 1
  private static let cursorBit: UInt = 2

  private init(bits: UInt) {
    if bits & Self.cursorBit != 0 {
      self = unsafe .cursor(.fromOpaque(UnsafeRawPointer(bitPattern: bits & ~Self.cursorBit).unsafelyUnwrapped))
    } else {
      let promise = PromisePointer(address: bits & ~Self.exitBit)
      self = bits & Self.exitBit != 0 ? .exit(promise) : .enter(promise)
    }
  }

  private var bits: UInt {
    switch self {
    case .enter(let promise): promise.address
    case .exit(let promise): promise.address | Self.exitBit
    case .cursor(let cursor): unsafe UInt(bitPattern: cursor.toOpaque()) | Self.cursorBit
    }
  }

  /// The promise of an enter.
  var entered: PromisePointer? { if case .enter(let promise) = self { promise } else { nil } }

  /// The neighbours of the mark. Under the stripe.
  private var links: TourLinks {
    get {
      switch self {
      case .enter(let promise): promise.withUncounted { unsafe $0.link.pointee.enter }
      case .exit(let promise): promise.withUncounted { TourLinks(next: $0.head, previous: $0.tail) }
      case .cursor(let cursor): unsafe cursor._withUnsafeGuaranteedRef { $0.links }
      }
    }
    nonmutating set {
      switch self {
      case .enter(let promise): promise.withUncounted { unsafe $0.link.pointee.enter = newValue }
      case .exit(let promise):
        promise.withUncounted { promise in
          promise.head = newValue.next
          promise.tail = newValue.previous
        }
      case .cursor(let cursor): unsafe cursor._withUnsafeGuaranteedRef { $0.links = newValue }
      }
    }
  }

  var next: TourMark { TourMark(bits: links.next) }

  var isInTour: Bool { links.previous != 0 }

  /// Makes this mark a tour of its own.
  func begin() { links = TourLinks(next: bits, previous: bits) }

  @inline(__always)
  func insert(before other: TourMark) {
    assert(!isInTour && other.isInTour, "A mark was inserted twice, or before one that is in no tour.")
    let previous = other.links.previous
    TourMark(bits: previous).links.next = bits
    links = TourLinks(next: other.bits, previous: previous)
    other.links.previous = bits
  }

  @inline(__always)
  func remove() {
    assert(isInTour, "A mark was removed that is in no tour.")
    let links = links
    TourMark(bits: links.previous).links.next = links.next
    TourMark(bits: links.next).links.previous = links.previous
    self.links = TourLinks()
  }
}

extension TourMark: Equatable {
  static func == (one: TourMark, other: TourMark) -> Bool { one.bits == other.bits }
}

/// The neighbours of a mark, or zeros if the mark is in no tour.
struct TourLinks {
  var next: UInt = 0
  var previous: UInt = 0
}

/// A mark that a walk leaves in the tour.
final class TourCursor {
  @safe @exclusivity(unchecked) fileprivate final var links = TourLinks()
}

/// One of the locks that guard the tours.
enum Stripe {
  /// Runs a section that accesses the marks of promises with this stripe.
  @inline(__always)
  static func locked<Result>(_ state: StateWord, _ body: () -> Result) -> Result {
    // Safe, because that memory is never deallocated, and because zeros are a lock that no thread holds.
    unsafe promise_stripe(state.stripe).assumingMemoryBound(to: ShortLock.self).pointee.locked(body)
  }
}

// MARK: - Placing

extension AnyPromise {
  /// Shows the new state of this promise, which is being settled or collapsed, and gives the entries of its list their
  /// places below it. Under the lock of this promise. Returns the state.
  ///
  /// The state is shown under the stripe, because a walk retains a member that it sees pending. Passes through the
  /// stripe for every entry, because the thread that settles the source may be placing this entry at this moment.
  @inline(never)
  final func place(_ entries: EntryList, _ new: StateWord) -> StateWord {
    assertLocked()
    return Stripe.locked(new) {
      if entries.isEmpty {
        show(new)
        return new
      }
      let new = openExit(new)
      let exit = TourMark.exit(self)
      for entry in entries where entry.with({ $0.belongsBelowSource }) {
        assertTakesLinks(new)
        TourMark.enter(entry).insert(before: exit)
      }
      return new
    }
  }

  /// Gives an entry its place that was attached to this settled promise. Under the lock of this promise. Returns the
  /// state.
  final func place(late entry: AnyPromise, _ state: StateWord) -> StateWord {
    assertLocked()
    return Stripe.locked(state) {
      guard entry.belongsBelowSource else { return state }
      let new = state.hasExit ? state : openExit(state)
      assertTakesLinks(new)
      TourMark.enter(entry).insert(before: TourMark.exit(self))
      return new
    }
  }

  /// Invariant: no link is attached to an entry that does not leave the tour.
  @inline(__always)
  private func assertTakesLinks(_ state: StateWord) {
    assert(!state.isEntry || traits.mayBeInTour, "A link was attached to an entry that does not leave the tour.")
  }

  /// Whether this entry, which is in the list of a promise that is settled, gets a place below it. An adopter has its
  /// place elsewhere, and what was settled before its source has left it (rule 4.0). Under the stripe.
  @inline(__always)
  private var belongsBelowSource: Bool {
    let state = relaxedState
    return state.isPending && state.stage == .waiting && traits.hasPlace
  }

  /// Whether this settled entry has a place below its source, because it was pending when that was settled.
  final func isPlaced(_ state: StateWord) -> Bool { Stripe.locked(state) { TourMark.enter(self).isInTour } }

  /// Inserts the exit of this settled promise behind its enter, and shows the new state. Under the stripe.
  @inline(__always)
  private func openExit(_ state: StateWord) -> StateWord {
    assert(!state.hasExit, "An exit was opened twice.")
    let new = state.withExit()
    show(new)
    let exit = TourMark.exit(self)
    if state.isEntry, TourMark.enter(self).isInTour {
      exit.insert(before: TourMark.enter(self).next)
    } else {
      exit.begin()
    }
    return new
  }

  /// Removes the marks of this promise, which is being deallocated, from the tour.
  @inline(never)
  final func leaveTour() {
    let state = relaxedState
    Stripe.locked(state) {
      if state.hasExit, TourMark.exit(self).isInTour { TourMark.exit(self).remove() }
      if state.isEntry, TourMark.enter(self).isInTour { TourMark.enter(self).remove() }
    }
  }
}
