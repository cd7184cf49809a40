// What combinators in other modules need of the engine. Not inlinable: a result is settled once, however many inputs it has.

extension Promise {
  /// A promise that a combinator will settle.
  package convenience init(pendingAt site: CreationSite) { self.init(pendingAt: site.site) }

  /// A promise that a combinator needs no input for.
  package convenience init(value: Value, at site: CreationSite) { self.init(value: value, at: site.site) }

  /// Claims and writes a value. The engine publishes.
  package final func claim(value: Value) -> Bool { claim(fulfilling: value) }

  /// Fulfils a promise of a combinator's own, unless it was cancelled meanwhile.
  package final func fulfillIfPending(_ value: Value) {
    if claim(fulfilling: value) { publish() }
  }

  /// Settles a promise of a combinator's own, unless it was cancelled meanwhile: nobody has done anything twice then,
  /// and nobody is told so (rule 1.3).
  package final func settleIfPending(_ outcome: Result<Value, any Error>) {
    switch outcome {
    case .success(let value): fulfillIfPending(value)
    case .failure(let error): if claim(rejecting: error) { publish() }
    }
  }

  /// A promise of a combinator's own becomes what another becomes. `false`: it was cancelled meanwhile.
  package final func followIfPending(_ other: Promise) -> Bool { follow(other, copyingBy: Promise.copy) }

  /// Rejects a promise that nobody else knows yet.
  package final func rejecting(_ error: PromiseError) -> Promise {
    if claim(error: error) { publish() }
    return self
  }

  /// Claims and writes the value of an input of this type. `false` also if that has an error. The engine publishes.
  package final func claim(valueOf input: AnyPromise) -> Bool {
    !input.isRejected && claim(fulfilling: Promise.settledValue(of: input))
  }

  /// The value of an input of this type that is fulfilled.
  @inlinable
  package static func settledValue(of input: AnyPromise) -> Value { value(of: input.resolved) }

  /// The outcome of an input of this type that is settled. Does not count as looking at it.
  @inlinable
  package static func settledOutcome(of input: AnyPromise) -> Result<Value, any Error> {
    downcast(input.resolved).outcome
  }
}

extension AnyPromise {
  /// The error of an input that is settled; `nil`: it has a value.
  package final var settledError: (any Error)? { resolved.storedError }

  /// Claims and writes the error of an input, with its cancelled mark (rule 1.2). The engine publishes.
  package final func claim(errorOf input: AnyPromise) -> Bool {
    guard let error = input.settledError else { return false }
    return claim(passing: error, from: input.resolved, isHandled: false)
  }

  /// Claims and writes an error of the combinator's own. The engine publishes.
  package final func claim(error: PromiseError) -> Bool { claim(rejecting: error, cancelled: false) }
}

extension Promise {
  /// Derives a promise that becomes what this one becomes: a descendant, without a handler, of no weight.
  package final func passed(at site: CreationSite) -> Promise {
    .derived(from: self, at: site.site, on: nil, handling: [], body: ReactionBody(Promise.copy))
  }
}

extension Deferred {
  /// What the owner settles, which may be another than the one that clients get.
  package var ownedPromise: Promise<Value> { source }
}
