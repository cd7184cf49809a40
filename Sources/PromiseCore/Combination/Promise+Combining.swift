// The interface of the engine to combinators in other modules. Not inlinable, because a result is settled once, however
// many inputs it has.

extension Promise {
  /// Creates a promise that a combinator will settle.
  package convenience init(pendingAt site: CreationSite) { self.init(pendingAt: site.site) }

  /// Creates a fulfilled promise, for a combinator that needs no input.
  package convenience init(value: Value, at site: CreationSite) {
    self.init(settledAt: site.site, Self.payload(of: value))
  }

  /// The outcome of a promise of this type that is fulfilled, for a ``Combination``.
  package static func outcome(_ value: Value) -> Outcome { .value(payload(of: value)) }

  /// Fulfils a promise that a combinator has made, unless it was cancelled meanwhile.
  package final func fulfillIfPending(_ value: Value) { _ = fulfillAsOwner(Self.payload(of: value)) }

  /// Does what `fulfillIfPending` does, but not inside other such work on this thread. The outermost call does that
  /// later (rule 6.4), and the closure is called after that.
  package final func fulfillUnnested(_ value: Value, _ next: @escaping () -> Void = {}) {
    UnnestedWork.settle {
      self.fulfillIfPending(value)
      next()
    }
  }

  /// Settles a promise that a combinator has made, unless it was cancelled meanwhile.
  ///
  /// That is no second settlement by an owner, so it is not reported (rule 1.3).
  package final func settleIfPending(_ outcome: Result<Value, any Error>) {
    switch outcome {
    case .success(let value): fulfillIfPending(value)
    case .failure(let error): _ = rejectAsOwner(error)
    }
  }

  /// Makes a promise that a combinator has made follow another. Returns `false` if it was cancelled meanwhile.
  package final func followIfPending(_ other: Promise) -> Bool { follow(other) }

  /// Rejects this new promise, which no other thread knows yet, and returns it.
  package final func rejecting(_ error: PromiseError) -> Promise {
    _ = rejectAsOwner(error)
    return self
  }

  /// The value of a fulfilled input of this type.
  @inlinable
  package static func settledValue(of input: AnyPromise) -> Value {
    // Called for every input, and few were collapsed.
    input.acquiredState.isForwarded ? value(of: input.resolved) : value(of: input)
  }

  /// The outcome of a settled input of this type. Does not mark a rejection as handled.
  @inlinable
  package static func settledOutcome(of input: AnyPromise) -> Result<Value, any Error> {
    downcast(input.resolved).outcome
  }
}

extension AnyPromise {
  /// The error of a settled input, or `nil` if it has a value.
  package final var settledError: (any Error)? { resolved.storedError }

  /// The outcome of this settled input, with its cancelled mark (rule 1.2), for a result of the same type. A rejected
  /// result has the progress that a program has seen there, and not that of one input.
  package final var outcomeOfInput: Outcome {
    let input = resolved
    return input.passedOutcome(input.relaxedState, shares: ProgressShares(amount: 0, share: 0))
  }
}

// MARK: - Promises that are started anew

extension AnyPromise {
  /// Makes ``wasGivenUp`` true if this promise is given up from now on.
  package final func recordGivingUp() { locked { _ = sideTable } }

  /// Whether this promise was cancelled because its last consumer gave it up (rule 4.4), and not by name or from above.
  ///
  /// It is known as soon as the promise is settled, if ``recordGivingUp()`` was called before.
  package final var wasGivenUp: Bool { locked { side?.wasGivenUp ?? false } }

  /// Calls the closure while this promise has one consumer more, so that it is not given up meanwhile.
  package final func withConsumer<Result>(_ body: () throws -> Result) rethrows -> Result {
    let consumer = attachObserver(on: nil, handling: [.value, .error]) { _, _ in .nothing }
    defer { consumer.detach() }
    return try body()
  }
}

extension Outcome {
  /// An error of a combinator.
  package static func failure(_ error: PromiseError) -> Outcome { .error(error, cancelled: false) }
}

extension Promise {
  /// Returns a promise derived from this one with the same outcome, without a handler, and of weight 0.
  package final func passed(by operation: Operation, at site: CreationSite) -> Promise {
    // Not by `derived`, which would look up the metadata of `Promise` as well as that of `Entry`.
    let entry = Entry<Value>(from: self, at: site.site, .made(by: operation), weight: 0)
    attach(entry, on: nil, nil)
    return entry
  }
}

extension Deferred {
  /// The promise that the owner settles. Clients may get a client promise that stands for it.
  package var ownedPromise: Promise<Value> { source }
}

/// A promise that waits for a resource of an operator.
///
/// It stores the resource, for descriptions, without a side table.
///
/// `@unchecked Sendable`, because the superclass is. The field is constant.
package class ResourcePromise<Value: Sendable>: Promise<Value>, @unchecked Sendable {
  private let resource: any AnyObject & Sendable

  /// - Parameter resource: retained by the promise.
  package init(at site: CreationSite, waitingFor resource: any AwaitedResource) {
    self.resource = resource
    super.init(pendingAt: site.site)
    if Diagnostics.isActive { noteAwaited() }
  }

  override final var awaitedObject: (any AnyObject & Sendable)? { resource }
}

/// A promise that is fulfilled when a place in a gate is free.
///
/// `@unchecked Sendable`, because the superclass is. The field is guarded by the lock of the promise.
package final class PlacePromise: ResourcePromise<Void>, @unchecked Sendable {
  private var guardedReturned: AnyPromise?

  /// The promise that the closure of the operation has returned, as long as it is pending. The result of the operation
  /// waits for it, unless that was cancelled, or was bypassed (rule 3.3).
  package var returned: AnyPromise? {
    get { locked { guardedReturned } }
    set {
      var unneeded = newValue
      locked { swap(&unneeded, &guardedReturned) }
      // The old one is released outside the lock.
      _ = consume unneeded
    }
  }
}
