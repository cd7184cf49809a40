import Synchronization

extension AnyPromise {
  /// Derives `target`, a new promise, from this one. A handler makes the outcome of `target` from the outcome of this
  /// promise.
  ///
  /// - Parameters:
  ///   - context: where the body runs for the outcomes in `traits`. With `nil` it runs nowhere, and the outcome passes
  ///     through.
  ///   - weight: the share of the link in the progress of the chain (rule 5.4).
  @usableFromInline
  final func derive(
    _ target: AnyPromise, on context: (any ExecutionContext)?, handling traits: Reaction.Traits, weight: Double = 0,
    body: consuming ReactionBody
  ) {
    if acquiredState.isForwarded {
      return resolved.derive(target, on: context, handling: traits, weight: weight, body: body)
    }
    if Diagnostics.isActive { body = prepare(body, for: target, on: context, handling: traits) }
    target.side.inheritWeight(of: side, adding: weight)
    let reaction =
      traits.contains(.adopts)
      ? AdoptingReaction(from: self, to: target, on: context, traits: traits, body: consume body)
      : Reaction(from: self, to: target, on: context, traits: traits, body: consume body)
    // No other thread knows the target yet.
    target.producer.initialize(location(of: reaction))
    attach(consume reaction, as: .plain)
  }

  /// Derives `target` with one handler for each outcome.
  @usableFromInline
  final func derive(
    _ target: AnyPromise, on context: any ExecutionContext, handling traits: Reaction.Traits, weight: Double,
    fulfilled: consuming ReactionBody, rejected: consuming ReactionBody
  ) {
    let source = resolved
    if Diagnostics.isActive {
      fulfilled = source.prepare(fulfilled, for: target, on: context, handling: .value)
      rejected = source.prepare(rejected, for: target, on: context, handling: .error)
    }
    target.side.inheritWeight(of: source.side, adding: weight)
    let reaction = ForkedReaction(
      from: source, to: target, on: context, traits: traits, fulfilled: fulfilled, rejected: rejected)
    target.producer.initialize(location(of: reaction))
    source.attach(consume reaction, as: .plain)
  }

  /// Makes this new promise the root of a chain. Its handler waits for nothing, and is scheduled at once. So no promise
  /// that is settled from the start is needed as its source.
  @usableFromInline
  final func start(
    on context: any ExecutionContext, handling traits: Reaction.Traits = [], body: consuming ReactionBody
  ) {
    let traits = traits.union(.value)
    if Diagnostics.isActive { body = prepare(body, for: nil, on: context, handling: traits) }
    let reaction =
      traits.contains(.adopts)
      ? AdoptingReaction(from: nil, to: self, on: nil, traits: traits, body: consume body)
      : Reaction(from: nil, to: self, on: nil, traits: traits, body: consume body)
    producer.initialize(location(of: reaction))
    reaction.markFired(on: context)
    context.schedule(Job(consume reaction))
  }

  /// Attaches an observer to this promise. Without a context its body runs inside the call that settles this promise.
  @usableFromInline
  final func observe(
    on context: (any ExecutionContext)?, handling traits: Reaction.Traits, body: consuming ReactionBody
  ) {
    if acquiredState.isForwarded { return resolved.observe(on: context, handling: traits, body: body) }
    if Diagnostics.isActive { body = prepare(body, for: nil, on: context, handling: traits) }
    observePrepared(on: context, handling: traits, body: body)
  }

  /// Attaches an observer whose body has the context already that diagnostics carry (rule 8.3).
  final func observePrepared(
    on context: (any ExecutionContext)?, handling traits: Reaction.Traits, body: consuming ReactionBody
  ) {
    attach(Reaction(from: self, to: nil, on: context, traits: traits, body: consume body), as: .plain)
  }

  /// Attaches an observer that is a function.
  final func observe(
    on context: (any ExecutionContext)?, handling traits: Reaction.Traits, _ function: @escaping ReactionFunction
  ) {
    observe(on: context, handling: traits, body: ReactionBody(function))
  }

  /// Pushes the reaction, or fires it if this promise is settled.
  ///
  /// - Returns: `true` if this call has fired the reaction.
  @discardableResult
  final func attach(_ reaction: consuming Reaction, as kind: StateWord.ReactionKind) -> Bool {
    guard let reaction = push(consume reaction, as: kind) else { return false }
    if acquiredState.isForwarded {
      // This promise was collapsed after the caller had checked for that. This happens only if a weak reference to it
      // was turned into a strong one at that moment.
      let isWanted = reaction.redirect(from: self, to: forwardee)
      return isWanted && forwardee.attach(consume reaction, as: kind)
    }
    var settlement = Settlement()
    fire(consume reaction, inPlaceOf: nil, during: &settlement)
    settlement.complete()
    return true
  }

  /// Pushes the reaction. Returns the reaction if this promise is closed or was collapsed.
  private func push(_ reaction: consuming Reaction, as kind: StateWord.ReactionKind) -> Reaction? {
    let consumes = kind == .plain && reaction.traits.isDisjoint(with: [.isNotConsumer, .requests])
    let reference = unsafe Unmanaged.passRetained(consume reaction)
    let address = unsafe UInt64(UInt(bitPattern: reference.toOpaque()))
    var old = acquiredState
    while case .reaction(let new, let next) = old.push(address, as: kind, consumes: consumes) {
      unsafe reference._withUnsafeGuaranteedRef { $0.point(to: next) }
      // Releases the fields of the reaction. A failure acquires, because the promise may be closed now, and the caller
      // is going to read its payload. Sequentially consistent for adopters: pairs with the exchanges in `claim` and
      // `withReactions`. This costs nothing extra.
      let (exchanged, found) = word.compareExchange(
        expected: old.bits, desired: new.bits, successOrdering: .sequentiallyConsistent, failureOrdering: .acquiring)
      if exchanged { return nil }
      old = StateWord(bits: found)
    }
    return unsafe reference.takeRetainedValue()
  }
}

extension AnyPromise {
  /// Leaves a request for a cancellation with the thread that is settling this promise. Returns `false` if the promise
  /// is closed or was collapsed.
  final func leaveRequest(_ request: CancelRequest) -> Bool { push(request, as: .plain) == nil }
}

extension Reaction {
  /// Points this reaction to `forwardee`, because `promise` was collapsed before the reaction reached its list. Returns
  /// `false` if the reaction waits for nothing any more.
  fileprivate final func redirect(from promise: AnyPromise, to forwardee: AnyPromise) -> Bool {
    guard traits.contains(.forwards) else {
      redirect(to: forwardee)
      return true
    }
    // The reaction was counted as a consumer of the collapsed promise, and the collapse has moved that count. If
    // another thread has ended the edge, that thread has subtracted the consumer.
    return asAdopting.adopted.replace(location(of: promise), by: location(of: forwardee))
  }
}
