/// The state of one promise in one word. `Engine.swift` draws the states and the stages.
///
///      63 ……… 48   47 ……… 24   23           22     21 … 16   15 … 13   12 ……………… 0
///     ┌───────────┬────────────┬────────────┬──────┬─────────┬─────────┬─────────────┐
///     │ weight −1 │ consumers  │ unfinished │ exit │ stripe  │ stage   │ other flags │
///     └───────────┴────────────┴────────────┴──────┴─────────┴─────────┴─────────────┘
///
/// Only the holder of the lock changes the word, by storing a new one. Any thread may read it. The weight and
/// some flags are constant, the stripe once other threads know the promise, and the others may have changed when the
/// reader looks at them.
///
/// Nothing here touches memory. Each transition is a function from one word to the next.
@usableFromInline
package struct StateWord: Equatable, Sendable {
  @usableFromInline package var bits: UInt64

  @_alwaysEmitIntoClient package init(bits: UInt64) { self.bits = bits }

  // MARK: Flags

  static let locked: UInt64 = 1 << 0
  @_alwaysEmitIntoClient static var done: UInt64 { 1 << 1 }
  static let closed: UInt64 = 1 << 2
  @_alwaysEmitIntoClient static var forwarded: UInt64 { 1 << 3 }
  @_alwaysEmitIntoClient static var rejected: UInt64 { 1 << 4 }
  static let cancelled: UInt64 = 1 << 5
  static let endedByCall: UInt64 = 1 << 6
  static let handled: UInt64 = 1 << 7
  static let arrivedHandled: UInt64 = 1 << 8
  static let mixed: UInt64 = 1 << 9
  static let entry: UInt64 = 1 << 10
  static let observesClients: UInt64 = 1 << 11
  static let clientPromise: UInt64 = 1 << 12
  static let exit: UInt64 = 1 << 22
  static let unfinished: UInt64 = 1 << 23

  // MARK: Fields

  static let stageShift: UInt64 = 13
  static let stageMask: UInt64 = 0b111 << stageShift
  static let stripeShift: UInt64 = 16
  static let stripeMask: UInt64 = 0x3F << stripeShift
  static let consumerUnit: UInt64 = 1 << 24
  static let consumerMask: UInt64 = 0xFF_FFFF << 24
  static let weightShift: UInt64 = 48
  /// Stands in place of a weight that is stored in the side table.
  static let weightElsewhere: UInt64 = 0xFFFF
}

// MARK: - What the word says

extension StateWord {
  package var isLocked: Bool { bits & Self.locked != 0 }
  /// The promise is neither settled nor collapsed.
  package var isPending: Bool { bits & (Self.done | Self.forwarded) == 0 }
  /// The promise has its outcome, which is readable and constant.
  @_alwaysEmitIntoClient package var isDone: Bool { bits & Self.done != 0 }
  /// Every entry of the list has been fired. The `always` that a cancellation runs is not one of them.
  package var isClosed: Bool { bits & Self.closed != 0 }
  /// The promise was collapsed into the promise that it had adopted, or is a client promise.
  @_alwaysEmitIntoClient package var isForwarded: Bool { bits & Self.forwarded != 0 }
  /// The outcome is an error.
  @_alwaysEmitIntoClient package var isRejected: Bool { bits & Self.rejected != 0 }
  /// The rejection carries the cancelled mark (rule 1.2).
  package var isCancelled: Bool { bits & Self.cancelled != 0 }
  /// The promise was settled by a cancellation or by its owner's time limit, and not by its owner or by an outcome that
  /// was passed to it. Only then do its hooks run (rule 4.5), and only then is what it follows given up.
  package var isEndedByCall: Bool { bits & Self.endedByCall != 0 }
  /// The promise was rejected by its owner's time limit.
  package var isTimedOut: Bool { isEndedByCall && !isCancelled }
  /// A consumer has looked at the rejection, or the duty to look at it was passed on (rule 7.1).
  package var isHandled: Bool { bits & Self.handled != 0 }
  /// The rejection had been handled before it was passed to this promise. So it counts as handled in every promise to
  /// which it is passed on.
  package var hasArrivedHandled: Bool { bits & Self.arrivedHandled != 0 }
  /// A rejection that is reported when the promise is deallocated (rule 7.1).
  package var isUnhandled: Bool { bits & (Self.rejected | Self.cancelled | Self.handled) == Self.rejected }
  /// Nothing but promises that have adopted this one, or follow it, was ever attached to it.
  package var hasOnlyMovableEntries: Bool { bits & Self.mixed == 0 }
  /// The promise has the fields of a link.
  package var isEntry: Bool { bits & Self.entry != 0 }
  /// The promise has an exit in the tour.
  package var hasExit: Bool { bits & Self.exit != 0 }
  /// The promise is settled and may not have finished (rule 2.11). `Finish.swift` describes it.
  package var isUnfinished: Bool { bits & Self.unfinished != 0 }
  package var isObservingClients: Bool { bits & Self.observesClients != 0 }
  package var isClientPromise: Bool { bits & Self.clientPromise != 0 }

  /// How far an entry has come.
  package enum Stage: UInt64, Sendable {
    /// The entry waits for its source, and is in its list or about to be appended.
    case waiting
    /// The source is settled, and the context has the job.
    case scheduled
    /// The handler runs.
    case running
    /// The handler has returned a promise, and the entry waits for that.
    case adopting
    /// Nothing comes of the entry any more.
    case ended
  }

  package var stage: Stage {
    @inline(__always) get { Stage(rawValue: (bits & Self.stageMask) >> Self.stageShift).unsafelyUnwrappedStage }
    @inline(__always) set { bits = bits & ~Self.stageMask | (newValue.rawValue << Self.stageShift) }
  }

  /// Which of the stripes guards the marks of the promise in the tour.
  package var stripe: Int { Int(truncatingIfNeeded: (bits & Self.stripeMask) >> Self.stripeShift) }

  /// The number of consumers of a pending promise (rule 4.0). Sticks at `mostConsumers`.
  package var consumers: Int { Int(truncatingIfNeeded: (bits & Self.consumerMask) / Self.consumerUnit) }
  package static var mostConsumers: Int { 0xFF_FFFF }

  /// The weight of the chain up to the promise, or `nil` if the side table has it.
  package var weight: Double? {
    let weight = bits >> Self.weightShift
    return weight == Self.weightElsewhere ? nil : Double(weight + 1)
  }
}

extension StateWord.Stage? {
  /// The stage. Only `StateWord` writes the field, so it holds one.
  fileprivate var unsafelyUnwrappedStage: StateWord.Stage {
    // Safe, because every word is made from a stage.
    unsafe unsafelyUnwrapped
  }
}

// MARK: - Transitions

extension StateWord {
  /// How a promise is settled.
  package enum Ending: Sendable {
    case fulfilled
    case rejected(cancelled: Bool, handled: Bool)
    /// By a cancellation.
    case cancelled
    /// By the time limit of its owner.
    case timedOut

    /// Whether the hooks for a cancellation run (rule 4.5).
    var runsHooks: Bool {
      switch self {
      case .cancelled, .timedOut: true
      case .fulfilled, .rejected: false
      }
    }

    fileprivate var flags: UInt64 {
      switch self {
      case .fulfilled: 0
      case .rejected(let cancelled, let handled):
        StateWord.rejected | (cancelled ? StateWord.cancelled : 0)
          | (handled ? StateWord.handled | StateWord.arrivedHandled : 0)
      case .cancelled: StateWord.rejected | StateWord.cancelled | StateWord.endedByCall
      case .timedOut: StateWord.rejected | StateWord.endedByCall
      }
    }
  }

  /// The promise is settled. Its entries are still to be fired.
  package func settled(as ending: Ending) -> StateWord {
    assert(isPending, "A promise was settled twice.")
    return StateWord(bits: bits & ~Self.consumerMask | Self.done | ending.flags)
  }

  /// Every entry has been fired.
  package func becomingClosed() -> StateWord {
    assert(isDone && !isClosed, "A promise was closed before it was settled, or twice.")
    return StateWord(bits: bits | Self.closed)
  }

  /// The promise may not have finished when it is settled. Set in the section that settles it.
  func becomingUnfinished() -> StateWord { StateWord(bits: bits | Self.unfinished) }

  /// The promise has finished. Set by the thread that fires or closes it, or that ends its finish.
  func becomingFinished() -> StateWord { StateWord(bits: bits & ~Self.unfinished) }

  /// The promise is collapsed.
  package func becomingForwarded() -> StateWord {
    assert(isPending && hasOnlyMovableEntries, "A promise was collapsed that others than adopters wait for.")
    return StateWord(bits: bits & ~Self.consumerMask | Self.forwarded)
  }

  /// The promise gets an exit in the tour.
  package func withExit() -> StateWord { StateWord(bits: bits | Self.exit) }

  package func becomingHandled() -> StateWord { StateWord(bits: isRejected ? bits | Self.handled : bits) }

  /// An entry is appended to the list of the promise.
  ///
  /// - Parameter isMovable: whether another promise may become the source of the entry (rule 3.3).
  package func attached(isMovable: Bool, consumes: Bool) -> StateWord {
    var new = self
    if !isMovable { new.bits |= Self.mixed }
    return consumes ? new.addingConsumers(1) : new
  }

  /// Consumers arrive at a pending promise. The count sticks at its maximum.
  package func addingConsumers(_ count: Int) -> StateWord {
    let sum = min(consumers + count, Self.mostConsumers)
    return StateWord(bits: bits & ~Self.consumerMask | UInt64(sum) * Self.consumerUnit)
  }

  /// A consumer leaves a pending promise.
  package func removingConsumer() -> StateWord {
    assert(consumers > 0, "A consumer left that was not counted.")
    return consumers == Self.mostConsumers ? self : StateWord(bits: bits - Self.consumerUnit)
  }
}

// MARK: - New promises

extension StateWord {
  /// A pending promise without a source, at the given address.
  static func root(at address: UInt) -> StateWord {
    StateWord(bits: ((UInt64(address >> 4) &* 0x9E37_79B9_7F4A_7C15) >> 58) << stripeShift)
  }

  /// A promise that is derived from another one, before its weight is added. It inherits the stripe.
  func inherited(as stage: Stage) -> StateWord {
    var new = StateWord(bits: bits & (Self.stripeMask | (~0 << Self.weightShift)) | Self.entry)
    new.stage = stage
    return new
  }

  /// The promise has the stripe of another one.
  func inStripe(of other: StateWord) -> StateWord {
    StateWord(bits: bits & ~Self.stripeMask | other.bits & Self.stripeMask)
  }

  /// Adds the weight of a link. Returns `nil` if the sum needs the side table, because it is large or no integer.
  ///
  /// A chain of more than 65,534 links of weight 1 gains no more weight, because the share of one more link could not
  /// be told from zero.
  func addingWeight(_ weight: Double) -> StateWord? {
    let before = bits >> Self.weightShift
    if before == Self.weightElsewhere { return nil }
    if !(weight > 0) { return self }
    let room = Self.weightElsewhere - 1 - before
    if weight == 1 { return StateWord(bits: bits + min(1, room) << Self.weightShift) }
    guard let units = UInt64(exactly: weight), units <= room else { return nil }
    return StateWord(bits: bits + units << Self.weightShift)
  }

  /// The side table has the weight.
  func withWeightElsewhere() -> StateWord { StateWord(bits: bits | (Self.weightElsewhere << Self.weightShift)) }
}
