// The interface of the engine to combinators in other modules. Not inlinable, because a result is settled once, however
// many inputs it has.

extension Promise {
  /// Creates a promise that a combinator will settle.
  package convenience init(pendingAt site: CreationSite) { self.init(pendingAt: site.site) }

  /// Creates a fulfilled promise, for a combinator that needs no input.
  package convenience init(value: Value, at site: CreationSite) { self.init(value: value, at: site.site) }

  /// Claims this promise with a value. The engine publishes the promise.
  package final func claim(value: Value) -> Bool { claim(fulfilling: value) }

  /// Fulfils a promise that a combinator has made, unless it was cancelled meanwhile.
  package final func fulfillIfPending(_ value: Value) {
    if claim(fulfilling: value) { publish() }
  }

  /// Settles a promise that a combinator has made, unless it was cancelled meanwhile.
  ///
  /// That is no second settlement by an owner, so it is not reported (rule 1.3).
  package final func settleIfPending(_ outcome: Result<Value, any Error>) {
    switch outcome {
    case .success(let value): fulfillIfPending(value)
    case .failure(let error): if claim(rejecting: error) { publish() }
    }
  }

  /// Makes a promise that a combinator has made follow another. Returns `false` if it was cancelled meanwhile.
  package final func followIfPending(_ other: Promise) -> Bool { follow(other, copyingBy: Promise.copy) }

  /// Rejects this new promise, which no other thread knows yet, and returns it.
  package final func rejecting(_ error: PromiseError) -> Promise {
    if claim(error: error) { publish() }
    return self
  }

  /// Claims this promise with the value of an input of the same type. Returns `false` if this promise was claimed
  /// before, or if the input is rejected. The engine publishes the promise.
  package final func claim(valueOf input: AnyPromise) -> Bool {
    !input.isRejected && claim(fulfilling: Promise.settledValue(of: input))
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

  /// Claims this promise with the error of an input, and with its cancelled mark (rule 1.2). Returns `false` if this
  /// promise was claimed before, or if the input has a value. The engine publishes the promise.
  package final func claim(errorOf input: AnyPromise) -> Bool {
    guard let error = input.settledError else { return false }
    return claim(passing: error, from: input.resolved, isHandled: false)
  }

  /// Claims this promise with an error of the combinator. The engine publishes the promise.
  package final func claim(error: PromiseError) -> Bool { claim(rejecting: error, cancelled: false) }
}

extension Promise {
  /// Returns a promise derived from this one with the same outcome, without a handler, and of weight 0.
  package final func passed(at site: CreationSite) -> Promise {
    .derived(from: self, at: site.site, on: nil, handling: [], body: ReactionBody(Promise.copy))
  }
}

extension Deferred {
  /// The promise that the owner settles. Clients may get a client promise that stands for it.
  package var ownedPromise: Promise<Value> { source }
}
