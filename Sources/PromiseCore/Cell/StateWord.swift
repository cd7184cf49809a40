/// The state of one promise, as one word, and every transition of it: an event goes in, the next word and what its
/// maker must do come out. Nothing here touches memory, so that the machine can be tested by itself; the effects are
/// in `AnyPromise+Settling.swift` and its neighbours.
///
///      63        62      61 ………… 48   47 …………………… 4      3         2        1       0
///     ┌─────────┬───────┬────────────┬───────────────┬─────────┬────────┬──────┬─────────┐
///     │ adopter │ plain │ consumers  │ newest reaction│ pruning │ closed │ done │ claimed │
///     └─────────┴───────┴────────────┴───────────────┴─────────┴────────┴──────┴─────────┘
///     once claimed, bit 48 is `rejected`, bit 49 `cancelled`, bit 50 `handled`, bit 51 `cancelled by call`, and
///     bit 52 `arrived handled`, in place of the count of consumers.
///
///                push (any number)               push (any number)
///                ┌──────┐                        ┌──────┐
///                ▼      │                        ▼      │
///             ┌──────────┐  claim  ┌─────────┐ publish ┌──────┐  close   ┌────────┐
///     ───────▶│ pending  │────────▶│ claimed │────────▶│ done │─────────▶│ closed │
///             └──────────┘         └─────────┘         └──────┘          └────────┘
///              │   ▲  │                 │ publish, nothing was pushed        ▲
///        prune │   │  │ forward         └────────────────────────────────────┘
///              ▼   │  ▼
///     pending+pruning forwarded
///
/// - *pending*: the list belongs to nobody; anyone may push.
/// - *claimed*: one thread has won the right to settle and alone writes the payload; anyone may still push.
/// - *done*: the payload is readable for ever. The thread that published fires the reactions it took, in the order in which
///   they were attached, and takes again what was pushed meanwhile. `done` and `closed` differ because with a single
///   sealed state a late reaction would overtake those that are still being fired (rule 2.2).
/// - *closed*: nobody fires any more; who attaches fires its own reaction.
/// - *pruning* (a flag beside pending, claimed or done): one thread has borrowed the list to take dead reactions out of it.
///   Whoever publishes meanwhile leaves the firing to that thread.
/// - *forwarded*: the promise was collapsed: its reactions wait for the promise that it adopted, and every later operation on it
///   is forwarded to that promise. Spelt `closed` without `done`.
@usableFromInline
package struct StateWord: Equatable, Sendable {
  @usableFromInline package var bits: UInt64

  @inlinable package init(bits: UInt64) { self.bits = bits }

  /// A promise that nobody has settled and nobody waits for.
  @inlinable package static var pending: StateWord { StateWord(bits: 0) }
  /// A promise that was born settled.
  @inlinable package static var bornSettled: StateWord { StateWord(bits: claimedBit | doneBit | closedBit) }

  /// A promise that stands for another from its creation on: a client promise.
  static var bornForwarded: StateWord { StateWord(bits: closedBit) }

  @inlinable static var claimedBit: UInt64 { 1 << 0 }
  @inlinable static var doneBit: UInt64 { 1 << 1 }
  @inlinable static var closedBit: UInt64 { 1 << 2 }
  static var pruningBit: UInt64 { 1 << 3 }
  static var headMask: UInt64 { 0x0000_FFFF_FFFF_FFF0 }
  static var consumerUnit: UInt64 { 1 << 48 }
  @inlinable static var consumerMask: UInt64 { 0x3FFF << 48 }
  static var plainBit: UInt64 { 1 << 62 }
  static var adopterBit: UInt64 { 1 << 63 }
  @inlinable static var rejectedBit: UInt64 { 1 << 48 }
  @inlinable static var cancelledBit: UInt64 { 1 << 49 }
  static var handledBit: UInt64 { 1 << 50 }
  static var cancelledByCallBit: UInt64 { 1 << 51 }
  static var arrivedHandledBit: UInt64 { 1 << 52 }
}

// MARK: - What the word says

extension StateWord {
  /// Somebody has won the right to settle; every later attempt answers `false`.
  @inlinable package var isClaimed: Bool { bits & Self.claimedBit != 0 }
  /// The payload is readable.
  @inlinable package var isDone: Bool { bits & Self.doneBit != 0 }
  /// Settled, and every reaction that was attached in time has been fired.
  @inlinable package var isClosed: Bool { bits & (Self.closedBit | Self.doneBit) == Self.closedBit | Self.doneBit }
  /// Collapsed into the promise it had adopted.
  @inlinable package var isForwarded: Bool { bits & (Self.closedBit | Self.doneBit) == Self.closedBit }
  /// Pending, and whoever comes first may settle it: nobody has won the right to, and it was not collapsed.
  package var isOpen: Bool { bits & (Self.claimedBit | Self.closedBit) == 0 }
  /// A thread has borrowed the list to prune it.
  package var isPruning: Bool { bits & Self.pruningBit != 0 }
  /// The payload is, or is going to be, an error. Meaningless before the claim.
  @inlinable package var isRejected: Bool { isClaimed && bits & Self.rejectedBit != 0 }
  /// The rejection carries the cancelled mark (rule 1.2). Meaningless before the claim.
  @inlinable package var isCancelled: Bool { isClaimed && bits & Self.cancelledBit != 0 }
  /// The promise was settled by a cancellation, or its owner's time limit, and not by an owner or an outcome that was passed to it: only
  /// then its hooks run (rule 4.5), and what it follows is given up. Meaningless before the claim.
  package var isCancelledByCall: Bool { isClaimed && bits & Self.cancelledByCallBit != 0 }
  /// Somebody looked at the outcome, or the duty to do so was handed on (rule 7.1). Meaningless before the claim.
  package var isHandled: Bool { isClaimed && bits & Self.handledBit != 0 }
  /// The rejection was looked at before it was passed to this promise; whoever it is passed on to need not look either.
  /// Meaningless before the claim.
  package var hasArrivedHandled: Bool { isClaimed && bits & Self.arrivedHandledBit != 0 }
  /// Rejected, not by a cancellation, and nobody has looked: to be reported when the promise goes (rule 7.1).
  package var isUnhandled: Bool {
    let deciding = Self.claimedBit | Self.rejectedBit | Self.cancelledBit | Self.handledBit
    return bits & deciding == Self.claimedBit | Self.rejectedBit
  }
  /// The address of the newest reaction, 0 where there is none.
  package var head: UInt64 { bits & Self.headMask }
  /// How many consumers a pending promise has (rule 4.0). Sticks at `mostConsumers`.
  package var consumers: Int { isClaimed ? 0 : Int((bits & Self.consumerMask) >> 48) }
  /// Pending, and no consumer is counted.
  package var hasNoConsumer: Bool { isOpen && consumers == 0 }
  /// Anything was ever pushed: only then can somebody wait for this promise, directly or not.
  package var wasConsumed: Bool { bits & (Self.plainBit | Self.adopterBit) != 0 }
  /// All that waits here are promises that have adopted this one.
  package var hasOnlyAdopters: Bool { bits & Self.plainBit == 0 }

  static var mostConsumers: Int { 0x3FFF }
}

// MARK: - Events

extension StateWord {
  /// How a reaction relates to the promise it is pushed onto.
  package enum Pushed { case plain, adopter }

  package enum Push: Equatable {
    /// The reaction becomes the head; `next` is what it must point to.
    case reaction(StateWord, next: UInt64)
    /// Settled and closed: whoever attaches fires its own reaction.
    case fire
    /// Collapsed: attach to the promise this one forwards to.
    case follow
  }

  /// A reaction is attached. `consumes`: it counts as a consumer (rule 4.0).
  package func push(_ address: UInt64, as kind: Pushed, consumes: Bool = true) -> Push {
    if bits & Self.closedBit != 0 { return isDone ? .fire : .follow }
    var next = bits & ~Self.headMask | address
    next |= kind == .plain ? Self.plainBit : Self.adopterBit
    if consumes, !isClaimed, next & Self.consumerMask != Self.consumerMask { next += Self.consumerUnit }
    return .reaction(StateWord(bits: next), next: head)
  }

  /// What somebody wants to settle a promise with.
  @usableFromInline
  package enum Claim: UInt64, Sendable {
    case fulfilling = 0
    case rejecting = 0x0001_0000_0000_0000
    /// With an error that somebody has looked at.
    case rejectingAsHandled = 0x0015_0000_0000_0000
    /// With an error that carries the cancelled mark.
    case rejectingAsCancelled = 0x0003_0000_0000_0000
    /// The same, by a cancellation.
    case cancelling = 0x000B_0000_0000_0000
    /// With an error of its own, which its owner's hooks hear of as of a cancellation (rule 4.5).
    case timingOut = 0x0009_0000_0000_0000

    static func rejecting(cancelled: Bool) -> Claim { cancelled ? .rejectingAsCancelled : .rejecting }
  }

  /// Somebody wants to settle. `nil`: somebody else did, or the promise was collapsed.
  package func claim(_ claim: Claim) -> StateWord? {
    guard isOpen else { return nil }
    return StateWord(bits: bits & ~Self.consumerMask | Self.claimedBit | claim.rawValue)
  }

  package enum Publish: Equatable {
    /// Fire these, newest first, then `close`.
    case drain(StateWord, list: UInt64)
    /// Nothing was waiting: done and closed in one step.
    case close(StateWord)
    /// The list is borrowed; the borrower fires.
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
    /// Everything was fired.
    case closed(StateWord)
    /// More was pushed meanwhile: fire it, then try again.
    case drain(StateWord, list: UInt64)
  }

  /// The reactions that were taken have been fired.
  package func close() -> Close {
    if head == 0 { return .closed(StateWord(bits: bits | Self.closedBit)) }
    return .drain(StateWord(bits: bits & ~Self.headMask), list: head)
  }

  /// Somebody wants to borrow the list. `nil`: it is borrowed, or about to be fired, and so needs no pruning.
  package func beginPruning() -> (StateWord, list: UInt64)? {
    if !isOpen || isPruning || head == 0 { return nil }
    return (StateWord(bits: bits & ~Self.headMask | Self.pruningBit), head)
  }

  package enum EndPruning: Equatable {
    /// The pruned list is back in place.
    case returned(StateWord)
    /// More was pushed meanwhile: put it before the pruned list and try again.
    case collect(StateWord, list: UInt64)
    /// The promise was published meanwhile: the borrower fires all it holds, then `close`.
    case drain(StateWord)
  }

  /// The borrower wants to return a list, whose newest reaction is `list`.
  package func endPruning(returning list: UInt64) -> EndPruning {
    if head != 0 { return .collect(StateWord(bits: bits & ~Self.headMask), list: head) }
    let idle = bits & ~Self.pruningBit
    return isDone ? .drain(StateWord(bits: idle)) : .returned(StateWord(bits: idle | list))
  }

  /// Somebody is going to wait for a pending promise, whose reaction will be pushed without being counted again. `nil`: there is
  /// no count any more.
  package func consumerArrived() -> StateWord? {
    if !isOpen || consumers == Self.mostConsumers { return nil }
    return StateWord(bits: bits + Self.consumerUnit)
  }

  /// A consumer left a pending promise. `nil`: there is no count any more, or it sticks. `wasLast`: nobody else wants the outcome.
  package func consumerLeft() -> (StateWord, wasLast: Bool)? {
    let count = consumers
    if !isOpen || count == 0 || count == Self.mostConsumers { return nil }
    return (StateWord(bits: bits - Self.consumerUnit), count == 1)
  }

  /// Somebody gives a pending promise up (rule 4.4). Without a consumer left it is claimed, in the same step: a reaction that is pushed at
  /// this moment either comes first, and is one, or finds the promise claimed. `nil`: nothing changes.
  ///
  /// - Parameter isCounted: who gives it up is one of the consumers.
  package func givenUp(isCounted: Bool) -> (StateWord, isClaimed: Bool)? {
    if !isOpen { return nil }
    if consumers <= (isCounted ? 1 : 0) { return claim(.cancelling).map { ($0, true) } }
    return isCounted ? consumerLeft().map { ($0.0, false) } : nil
  }

  /// The promise has adopted another and nobody holds it. `nil`: something other than adopters waits here, or the list
  /// is not free.
  package func forward() -> (StateWord, list: UInt64)? {
    if !isOpen || isPruning || !hasOnlyAdopters { return nil }
    return (StateWord(bits: Self.closedBit), head)
  }
}
