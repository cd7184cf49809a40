public import Synchronization

/// A promise whose type of value is not known.
///
/// Clients get one as ``parent`` or ``root``. `Promise` is the only subclass.
public class AnyPromise: @unchecked Sendable {
  // `Engine.swift` says what guards these fields.
  //
  // `@unchecked Sendable`, because the plain fields are guarded by the lock in `word` and by a stripe, or constant.
  // They need no exclusivity checks, because the lock excludes other threads, and no code is called during an access.
  @usableFromInline final let word: Atomic<UInt64>
  /// The outcome. While the promise is pending, see `AnyPromise.keptShares` and `AnyPromise.forwardee`.
  @safe @exclusivity(unchecked) @usableFromInline final var payload = Payload()
  /// The first and the last entry of the list. Once the promise is settled, the neighbours of its exit in the tour.
  @safe @exclusivity(unchecked) final var head: UInt = 0
  @safe @exclusivity(unchecked) final var tail: UInt = 0
  /// The fields that few promises need.
  @safe @exclusivity(unchecked) final var side: SideTable?
  /// Where this promise was made.
  @usableFromInline final let site: Site

  /// Creates a pending promise without a source.
  @usableFromInline
  init(pendingAt site: Site) {
    word = Atomic(0)
    self.site = site
    word.store(StateWord.root(at: PromisePointer(self).address).bits, ordering: .relaxed)
    if Diagnostics.isActive { noteMade() }
  }

  /// Creates a promise that is settled.
  @usableFromInline
  init(settledAt site: Site, _ payload: Payload) {
    word = Atomic(0)
    self.site = site
    self.payload = payload
    let root = StateWord.root(at: PromisePointer(self).address)
    word.store(root.settled(as: .fulfilled).becomingClosed().bits, ordering: .relaxed)
    if Diagnostics.isActive { noteMade() }
  }

  /// Creates a promise for the fields of a link.
  ///
  /// - Parameters:
  ///   - word: made by `StateWord.inherited`.
  ///   - isNoted: whether diagnostics get to know the promise now. No client sees that of an observer.
  init(_ word: StateWord, _ side: consuming SideTable?, at site: Site, isNoted: Bool) {
    self.word = Atomic(word.bits)
    self.side = consume side
    self.site = site
    if Diagnostics.isActive, isNoted { noteMade() }
  }

  /// Creates a client promise, which stands for an owner's promise (`ClientPromise.swift`).
  init(standingFor source: AnyPromise) {
    word = Atomic(StateWord.forwarded | StateWord.clientPromise)
    site = source.site
    forward(to: source)
  }

  deinit {
    let state = relaxedState
    // `Promise` releases a value, because it knows the type.
    if state.isDone, state.isRejected {
      if state.isUnhandled { reportUnhandledRejection() }
      payload.destroyError()
    }
    if state.isForwarded { releaseForwardee(state) }
    // An observer may have the finish of another promise.
    if let finish = side?.finish, !isObserver { finish.promiseWasDeallocated() }
    #if DEBUG
      reportUnreadMappedValue()
    #endif
    if state.isDone {
      // An entry has left the tour already.
      if state.hasExit, !state.isEntry { leaveTour() }
    } else {
      assert(list.isEmpty, "A promise was deallocated while an entry waited for it.")
    }
  }

  // `Promise` overrides these, because it knows the type of the value.

  /// Returns a copy of the value of this fulfilled promise. Counts references, and runs no code of a client.
  func copyValue() -> Payload { Payload() }
  /// Releases a value of the type of this promise.
  func destroy(_ value: Payload) {}
  /// Creates a client promise of the same type that stands for this promise.
  func makeClientPromise() -> AnyPromise { AnyPromise(standingFor: self) }
  /// Takes the handler for the value out of an entry that has one for each outcome. Under the lock.
  func takeValueBody() -> HandlerBody? { nil }
  /// Replaces the handler for the value of such an entry. No other thread knows the entry.
  func replaceValueBody(_ transform: (HandlerBody) -> HandlerBody) {}
  /// The timer, Task or gate for which this promise waits, if any. Under the lock.
  var awaitedObject: (any AnyObject & Sendable)? { side?.awaited }
  /// The name of the type, for a description.
  var typeText: String { "Promise" }
  /// The value of a fulfilled promise, for a description.
  var valueText: String { "" }
}

// MARK: - The state

extension AnyPromise {
  /// The state. If it says `done`, the payload may be read. Acquiring: pairs with the releasing store in `unlock`.
  @usableFromInline final var acquiredState: StateWord { StateWord(bits: word.load(ordering: .acquiring)) }

  /// The state, loaded relaxed. It says nothing about the payload, except to the thread that has settled the promise or
  /// has read the payload before.
  final var relaxedState: StateWord { StateWord(bits: word.load(ordering: .relaxed)) }

  /// This promise, or the promise into which it was collapsed.
  @usableFromInline package final var resolved: AnyPromise { acquiredState.isForwarded ? lastForwardee.strong : self }

  /// A pointer to `resolved`, which this promise keeps alive.
  final var resolvedPointer: PromisePointer { acquiredState.isForwarded ? lastForwardee : PromisePointer(self) }

  /// The promise to which this one leads now. Each promise on the way retains the next one, and never forwards to
  /// another.
  @inline(never)
  private final var lastForwardee: PromisePointer {
    var promise = payload.forwardee
    while promise.with({ $0.acquiredState.isForwarded }) { promise = promise.with { $0.payload.forwardee } }
    return promise
  }

  /// The state of `resolved`.
  final var resolvedState: StateWord {
    let state = acquiredState
    return state.isForwarded ? lastForwardee.with { $0.acquiredState } : state
  }
}

// MARK: - The lock

extension AnyPromise {
  /// Acquires the lock of this promise, and returns the state.
  ///
  /// The section must be short, see `Engine.swift`. It ends with `unlock`.
  @inline(__always)
  final func lock() -> StateWord {
    // The loop is a separate function, because this one is inlined in many places.
    tryLock() ?? lockContended()
  }

  /// Acquires the lock if no other thread has it.
  @inline(__always)
  final func tryLock() -> StateWord? {
    let old = word.load(ordering: .relaxed) & ~StateWord.locked
    // Acquiring: pairs with the releasing store in `unlock`, so that the section sees the changes of the one before.
    let (exchanged, _) = word.compareExchange(
      expected: old, desired: old | StateWord.locked, successOrdering: .acquiring, failureOrdering: .relaxed)
    return exchanged ? StateWord(bits: old) : nil
  }

  /// Acquires the lock after another thread has held it, or has changed the state, at the moment of the first attempt.
  @inline(never)
  private func lockContended() -> StateWord {
    spin { word.load(ordering: .relaxed) & StateWord.locked == 0 ? tryLock() : nil }
  }

  /// Under the lock.
  @inline(__always)
  final func assertLocked() { assert(relaxedState.isLocked, "A promise is not locked that must be.") }

  /// Ends a section with a new state.
  @inline(__always)
  final func unlock(_ new: StateWord) {
    assertLocked()
    // The optimiser moves the retain of a reference that was read under the lock past an atomic store, and another
    // thread could release the object in between. It moves no retain past a fence. On x86-64 this fence is no
    // instruction.
    atomicMemoryFence(ordering: .releasing)
    // Releasing: pairs with the acquiring exchange in `lock` and with the acquiring load in `acquiredState`.
    word.store(new.bits & ~StateWord.locked, ordering: .releasing)
  }

  /// Shows a new state to other threads while this thread keeps the lock.
  ///
  /// Releasing: pairs with the acquiring load in `acquiredState`, because a thread that sees the promise settled or
  /// collapsed reads the payload without the lock.
  @inline(__always)
  final func show(_ new: StateWord) { word.store(new.bits | StateWord.locked, ordering: .releasing) }

  /// Runs a section that may change the state.
  @inline(__always)
  final func withState<Result>(_ body: (inout StateWord) -> Result) -> Result {
    var state = lock()
    defer { unlock(state) }
    return body(&state)
  }

  /// Runs a section that does not change the state.
  @inline(__always)
  final func locked<Result>(_ body: () -> Result) -> Result {
    let state = lock()
    defer { unlock(state) }
    return body()
  }
}

// MARK: - Forwarding

extension AnyPromise {
  /// The promise to which this one forwards. It is retained. Constant since the state says `forwarded`.
  final var forwardee: AnyPromise {
    // Safe, because the payload of a forwarded promise is that reference.
    payload.forwardee.strong
  }

  /// Makes the payload refer to another promise, and retains that.
  final func forward(to other: AnyPromise) {
    let pointer = PromisePointer(other)
    pointer.retain()
    payload = Payload(forwardee: pointer)
  }

  private final func releaseForwardee(_ state: StateWord) {
    if state.isClientPromise { releaseClientPromise() }
    payload.forwardee.release()
  }
}

/// A pointer to a promise that does not retain it.
///
/// `@safe`, because each place that stores one states who keeps the promise alive. `@unchecked Sendable`, because it is
/// a constant, and promises are `Sendable`.
@safe @usableFromInline
package struct PromisePointer: Equatable, @unchecked Sendable {
  private let pointer: UnsafeRawPointer

  /// - Parameter address: the address of a promise.
  init(address: UInt) { unsafe pointer = UnsafeRawPointer(bitPattern: address).unsafelyUnwrapped }

  @inline(__always)
  init(_ promise: AnyPromise) { unsafe pointer = UnsafeRawPointer(Unmanaged.passUnretained(promise).toOpaque()) }

  /// The pointer for which a reference was counted by hand.
  init(_ reference: Unmanaged<AnyPromise>) { unsafe pointer = UnsafeRawPointer(reference.toOpaque()) }

  var address: UInt { unsafe UInt(bitPattern: pointer) }

  @usableFromInline
  package static func == (one: PromisePointer, other: PromisePointer) -> Bool { one.address == other.address }

  @inline(__always)
  private var reference: Unmanaged<AnyPromise> { unsafe .fromOpaque(pointer) }

  /// Calls the body with the promise. Counts no reference in a release build.
  @inline(__always)
  func with<Result>(_ body: (AnyPromise) -> Result) -> Result { unsafe reference._withUnsafeGuaranteedRef(body) }

  /// Calls the body with the promise, under a stripe. The body must count no reference, not even in a debug build,
  /// because another thread may release the last one meanwhile, and `deinit` acquires the stripe.
  /// `Scripts/check-uncounted.py` checks it.
  @inline(__always)
  func withUncounted<Result>(_ body: (AnyPromise) -> Result) -> Result {
    unsafe reference._withUnsafeGuaranteedRef(body)
  }

  /// A strong reference.
  var strong: AnyPromise { unsafe reference.takeUnretainedValue() }

  /// The strong reference for which the pointer stood.
  func takeStrong() -> AnyPromise { unsafe reference.takeRetainedValue() }

  func retain() { _ = unsafe reference.retain() }
  func release() { unsafe reference.release() }
}
