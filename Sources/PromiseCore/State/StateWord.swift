/// The state of one promise in one word, with all its transitions.
///
/// Each event is a function from the present word to the next word, and to what the caller must do. Nothing here
/// touches memory, so the state machine can be tested by itself. The effects are in `AnyPromise+Settling.swift` and the
/// files beside it.
///
///      63        62      61 ………… 48   47 …………………… 4      3         2        1       0
///     ┌─────────┬───────┬────────────┬────────────────┬─────────┬────────┬──────┬─────────┐
///     │ adopter │ plain │ consumers  │ newest reaction│ pruning │ closed │ done │ claimed │
///     └─────────┴───────┴────────────┴────────────────┴─────────┴────────┴──────┴─────────┘
///
/// Once the promise is claimed, bits 48 to 52 no longer hold the count of consumers. They are *rejected*, *cancelled*,
/// *handled*, *cancelled by call* and *arrived handled*.
///
///                push (any number)               push (any number)
///                ┌──────┐                        ┌──────┐
///                ▼      │                        ▼      │
///             ┌──────────┐  claim  ┌─────────┐ publish ┌──────┐  close   ┌────────┐
///     ───────▶│1 pending │────────▶│2 claimed│────────▶│3 done│─────────▶│4 closed│
///             └──────────┘         └─────────┘         └──────┘          └────────┘
///              │   ▲  │                 │ publish, nothing was pushed        ▲
///        prune │   │  │ forward         └────────────────────────────────────┘
///              ▼   │  ▼
///     pending+pruning 5 forwarded
///
/// 1. *pending*: any thread may push reactions. `claim` and `givenUp` lead to 2, `forward` leads to 5.
/// 2. *claimed*: one thread, the *claimer*, has won the right to settle, and it alone writes the payload. Other threads
///    may still push. `publish` leads to 3, or to 4 if no reaction waits.
/// 3. *done*: the payload is readable from now on. The thread that published the promise *fires* the reactions that it
///    took, in the order in which they were attached. To fire a reaction means to schedule its handler, or to pass the
///    outcome on if it has no handler for it. Other threads may still push. `close` takes what was pushed meanwhile, or
///    leads to 4 if nothing was.
/// 4. *closed*: the list is empty and stays empty. A thread that attaches a reaction fires that reaction itself. `done`
///    and `closed` are two states, because with a single one a late reaction would overtake those that are still being
///    fired (rule 2.2). No transition leads on.
/// 5. *forwarded*: the promise was *collapsed* into the promise that it adopted. Its reactions wait for that promise,
///    and every later operation is forwarded to it. Encoded as `closed` without `done`. No transition leads on.
///
/// *Pruning* is a flag beside 1, 2 and 3. One thread has borrowed the list to remove dead reactions from it. If the
/// promise is published meanwhile, that thread fires the list.
@usableFromInline
package struct StateWord: Equatable, Sendable {
  @usableFromInline package var bits: UInt64

  @_alwaysEmitIntoClient package init(bits: UInt64) { self.bits = bits }

  /// A promise that is not settled and for which nothing waits.
  @_alwaysEmitIntoClient package static var pending: StateWord { StateWord(bits: 0) }
  /// A promise that is created settled.
  @_alwaysEmitIntoClient package static var initiallySettled: StateWord {
    StateWord(bits: claimedBit | doneBit | closedBit)
  }

  /// A client promise, which stands for another promise from its creation on, see `ClientPromise.swift`.
  static var initiallyForwarded: StateWord { StateWord(bits: closedBit) }

  @_alwaysEmitIntoClient static var claimedBit: UInt64 { 1 << 0 }
  @_alwaysEmitIntoClient static var doneBit: UInt64 { 1 << 1 }
  @_alwaysEmitIntoClient static var closedBit: UInt64 { 1 << 2 }
  /// The list is borrowed.
  static var pruningBit: UInt64 { 1 << 3 }
  /// The address of the newest reaction in the list.
  static var headMask: UInt64 { 0x0000_FFFF_FFFF_FFF0 }
  static var consumerUnit: UInt64 { 1 << 48 }
  @_alwaysEmitIntoClient static var consumerMask: UInt64 { 0x3FFF << 48 }
  /// A reaction that is no adopter was pushed at some time.
  static var plainBit: UInt64 { 1 << 62 }
  /// A reaction of an adopter was pushed at some time.
  static var adopterBit: UInt64 { 1 << 63 }
  /// This bit and the next four replace the count of consumers once the promise is claimed.
  @_alwaysEmitIntoClient static var rejectedBit: UInt64 { 1 << 48 }
  @_alwaysEmitIntoClient static var cancelledBit: UInt64 { 1 << 49 }
  static var handledBit: UInt64 { 1 << 50 }
  static var cancelledByCallBit: UInt64 { 1 << 51 }
  static var arrivedHandledBit: UInt64 { 1 << 52 }
}

// MARK: - What the word says

extension StateWord {
  /// A thread has won the right to settle. Every later attempt fails.
  @_alwaysEmitIntoClient package var isClaimed: Bool { bits & Self.claimedBit != 0 }
  /// The payload is readable.
  @_alwaysEmitIntoClient package var isDone: Bool { bits & Self.doneBit != 0 }
  /// Settled, and every reaction that was attached in time has been fired.
  @_alwaysEmitIntoClient package var isClosed: Bool {
    bits & (Self.closedBit | Self.doneBit) == Self.closedBit | Self.doneBit
  }
  /// Collapsed into the promise that it had adopted, or a client promise.
  @_alwaysEmitIntoClient package var isForwarded: Bool { bits & (Self.closedBit | Self.doneBit) == Self.closedBit }
  /// Pending: no thread has won the right to settle, and the promise was not collapsed.
  package var isOpen: Bool { bits & (Self.claimedBit | Self.closedBit) == 0 }
  /// A thread has borrowed the list to prune it.
  package var isPruning: Bool { bits & Self.pruningBit != 0 }
  /// The payload is or will be an error. `false` before the claim.
  @_alwaysEmitIntoClient package var isRejected: Bool { isClaimed && bits & Self.rejectedBit != 0 }
  /// The rejection carries the cancelled mark (rule 1.2). `false` before the claim.
  @_alwaysEmitIntoClient package var isCancelled: Bool { isClaimed && bits & Self.cancelledBit != 0 }
  /// The promise was settled by a cancellation or by its owner's time limit, not by its owner or by an outcome that was
  /// passed to it. Only then do its hooks run (rule 4.5), and only then is what it follows given up. `false` before the
  /// claim.
  package var isCancelledByCall: Bool { isClaimed && bits & Self.cancelledByCallBit != 0 }
  /// The promise was rejected by its owner's time limit. `false` before the claim.
  package var isTimedOut: Bool { isCancelledByCall && !isCancelled }
  /// A consumer has looked at the outcome, or the duty to look at it was passed on (rule 7.1). `false` before the
  /// claim.
  package var isHandled: Bool { isClaimed && bits & Self.handledBit != 0 }
  /// The rejection had been handled before it was passed to this promise. So it counts as handled in every promise to
  /// which it is passed on. `false` before the claim.
  package var hasArrivedHandled: Bool { isClaimed && bits & Self.arrivedHandledBit != 0 }
  /// Rejected without the cancelled mark, and not handled. Such a rejection is reported when the promise is deallocated
  /// (rule 7.1).
  package var isUnhandled: Bool {
    let deciding = Self.claimedBit | Self.rejectedBit | Self.cancelledBit | Self.handledBit
    return bits & deciding == Self.claimedBit | Self.rejectedBit
  }
  /// The address of the newest reaction, or 0.
  package var head: UInt64 { bits & Self.headMask }
  /// The number of consumers of a pending promise (rule 4.0). Sticks at `mostConsumers`.
  package var consumers: Int { isClaimed ? 0 : Int((bits & Self.consumerMask) >> 48) }
  /// Pending, without a consumer.
  package var hasNoConsumer: Bool { isOpen && consumers == 0 }
  /// A reaction was pushed at some time. Otherwise nothing waits for this promise, directly or not.
  package var wasConsumed: Bool { bits & (Self.plainBit | Self.adopterBit) != 0 }
  /// Nothing but promises that have adopted this one waits for it.
  package var hasOnlyAdopters: Bool { bits & Self.plainBit == 0 }

  static var mostConsumers: Int { 0x3FFF }
}

// MARK: - Events

extension StateWord {
  /// How a pushed reaction relates to the promise: the reaction of an adopter, or any other.
  package enum ReactionKind { case plain, adopter }

  package enum Push: Equatable {
    /// The reaction becomes the newest. It must point to `next`.
    case reaction(StateWord, next: UInt64)
    /// Settled and closed: the caller fires the reaction itself.
    case fire
    /// Collapsed: the caller attaches the reaction to the forwardee.
    case forwarded
  }

  /// A reaction is attached.
  ///
  /// - Parameter consumes: whether the reaction counts as a new consumer (rule 4.0).
  package func push(_ address: UInt64, as kind: ReactionKind, consumes: Bool = true) -> Push {
    if bits & Self.closedBit != 0 { return isDone ? .fire : .forwarded }
    var next = bits & ~Self.headMask | address
    next |= kind == .plain ? Self.plainBit : Self.adopterBit
    if consumes, !isClaimed, next & Self.consumerMask != Self.consumerMask { next += Self.consumerUnit }
    return .reaction(StateWord(bits: next), next: head)
  }

  /// How a caller wants to settle a promise. The raw value has the bits that the claim sets.
  @usableFromInline
  package enum Claim: UInt64, Sendable {
    case fulfilling = 0
    case rejecting = 0x0001_0000_0000_0000
    /// With an error that a consumer has looked at before.
    case rejectingAsHandled = 0x0015_0000_0000_0000
    /// With an error that carries the cancelled mark.
    case rejectingAsCancelled = 0x0003_0000_0000_0000
    /// With the reason of a cancellation.
    case cancelling = 0x000B_0000_0000_0000
    /// With the error of its owner's time limit, of which the owner's hooks are told as of a cancellation (rule 4.5).
    case timingOut = 0x0009_0000_0000_0000

    static func rejecting(cancelled: Bool) -> Claim { cancelled ? .rejectingAsCancelled : .rejecting }
  }

  /// A caller wants to settle the promise. Returns `nil` if it was claimed or collapsed before.
  package func claim(_ claim: Claim) -> StateWord? {
    guard isOpen else { return nil }
    return StateWord(bits: bits & ~Self.consumerMask | Self.claimedBit | claim.rawValue)
  }

  package enum Publish: Equatable {
    /// Fire the list, which begins with the newest reaction, then `close`.
    case drain(StateWord, list: UInt64)
    /// Nothing waited. The promise is done and closed in one step.
    case close(StateWord)
    /// The list is borrowed. The borrower fires it.
    case leaveToPruner(StateWord)
  }

  /// The claimer has written the payload.
  package func publish() -> Publish {
    precondition(isClaimed && !isDone, "publish in state \(bits)")
    let done = bits | Self.doneBit
    if isPruning { return .leaveToPruner(StateWord(bits: done)) }
    if head == 0 { return .close(StateWord(bits: done | Self.closedBit)) }
    return .drain(StateWord(bits: done & ~Self.headMask), list: head)
  }

  package enum Close: Equatable {
    /// Every reaction was fired.
    case closed(StateWord)
    /// More reactions were pushed meanwhile. Fire them, then try again.
    case drain(StateWord, list: UInt64)
  }

  /// The reactions that were taken have been fired.
  package func close() -> Close {
    if head == 0 { return .closed(StateWord(bits: bits | Self.closedBit)) }
    return .drain(StateWord(bits: bits & ~Self.headMask), list: head)
  }

  /// A caller wants to borrow the list. Returns `nil` if another thread has it, or if the list needs no pruning because
  /// it is empty or about to be fired.
  package func beginPruning() -> (StateWord, list: UInt64)? {
    if !isOpen || isPruning || head == 0 { return nil }
    return (StateWord(bits: bits & ~Self.headMask | Self.pruningBit), head)
  }

  package enum EndPruning: Equatable {
    /// The pruned list is back in place.
    case returned(StateWord)
    /// More reactions were pushed meanwhile. Put them before the pruned list, then try again.
    case collect(StateWord, list: UInt64)
    /// The promise was published meanwhile. The borrower fires all that it has, then calls `close`.
    case drain(StateWord)
  }

  /// The borrower wants to return the list, which begins with the newest reaction.
  package func endPruning(returning list: UInt64) -> EndPruning {
    if head != 0 { return .collect(StateWord(bits: bits & ~Self.headMask), list: head) }
    let idle = bits & ~Self.pruningBit
    return isDone ? .drain(StateWord(bits: idle)) : .returned(StateWord(bits: idle | list))
  }

  /// A consumer arrives whose reaction will be pushed later, without being counted again. Returns `nil` if the promise
  /// is not pending or the count sticks.
  package func consumerArrived() -> StateWord? {
    if !isOpen || consumers == Self.mostConsumers { return nil }
    return StateWord(bits: bits + Self.consumerUnit)
  }

  /// A consumer leaves a pending promise. `wasLast` is `true` if no consumer is left. Returns `nil` if the promise is
  /// not pending, no consumer is counted, or the count sticks.
  package func consumerLeft() -> (StateWord, wasLast: Bool)? {
    let count = consumers
    if !isOpen || count == 0 || count == Self.mostConsumers { return nil }
    return (StateWord(bits: bits - Self.consumerUnit), count == 1)
  }

  /// A caller gives up a pending promise (rule 4.4). If no other consumer is left, the same step claims the promise.
  ///
  /// Because it is one step, a reaction that is pushed at the same time either comes first and counts as a consumer, or
  /// finds the promise claimed. Returns `nil` if nothing changes.
  ///
  /// - Parameter isCounted: whether the caller is one of the counted consumers.
  package func givenUp(isCounted: Bool) -> (StateWord, isClaimed: Bool)? {
    if !isOpen { return nil }
    if consumers <= (isCounted ? 1 : 0) { return claim(.cancelling).map { ($0, true) } }
    return isCounted ? consumerLeft().map { ($0.0, false) } : nil
  }

  /// The promise is about to adopt another, and nothing but its own reaction retains it. Returns `nil` if others than
  /// adopters wait here, if the list is borrowed, or if the promise is not pending.
  package func forward() -> (StateWord, list: UInt64)? {
    if !isOpen || isPruning || !hasOnlyAdopters { return nil }
    return (StateWord(bits: Self.closedBit), head)
  }
}
