import Synchronization

extension AnyPromise {
  /// Makes `target` what a handler makes of this promise.
  ///
  /// - Parameters:
  ///   - context: where the body runs for the outcomes in `traits`; `nil`: nowhere, the outcome passes through it.
  ///   - weight: the reaction's share of progress (rule 5.4).
  @usableFromInline
  final func derive(
    _ target: AnyPromise, on context: (any ExecutionContext)?, handling traits: Reaction.Traits, weight: Double = 0,
    body: consuming ReactionBody
  ) {
    if cell.isForwarded {
      return resolved.derive(target, on: context, handling: traits, weight: weight, body: body)
    }
    if Diagnostics.isActive { body = prepare(body, for: target, on: context, handling: traits) }
    target.side.inheritWeight(of: side, adding: weight)
    let reaction =
      traits.contains(.adopts)
      ? AdoptingReaction(from: self, to: target, on: context, traits: traits, body: consume body)
      : Reaction(from: self, to: target, on: context, traits: traits, body: consume body)
    // Nobody else knows the target yet.
    target.producer.initialize(location(of: reaction))
    attach(consume reaction, as: .plain)
  }

  /// The same, with a handler for each outcome.
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

  /// Makes this promise, which nobody else knows yet, what a handler makes that waits for nothing: a root, without a
  /// promise above it that would be settled from the start.
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

  /// Lets a body see the outcome of this promise. Without a context it runs inside the settling call.
  @usableFromInline
  final func observe(
    on context: (any ExecutionContext)?, handling traits: Reaction.Traits, body: consuming ReactionBody
  ) {
    if cell.isForwarded { return resolved.observe(on: context, handling: traits, body: body) }
    if Diagnostics.isActive { body = prepare(body, for: nil, on: context, handling: traits) }
    attach(Reaction(from: self, to: nil, on: context, traits: traits, body: consume body), as: .plain)
  }

  /// The same, with a function.
  final func observe(
    on context: (any ExecutionContext)?, handling traits: Reaction.Traits, _ function: @escaping ReactionFunction
  ) {
    observe(on: context, handling: traits, body: ReactionBody(function))
  }

  /// Pushes the reaction, or fires it if this promise is settled.
  ///
  /// - Returns: whether the reaction was fired by this call.
  @discardableResult
  final func attach(_ reaction: consuming Reaction, as kind: StateWord.Pushed) -> Bool {
    guard let reaction = push(consume reaction, as: kind) else { return false }
    if cell.isForwarded {
      // Collapsed since the caller looked, which takes a weak reference that came back to life at that very moment.
      let isWanted = reaction.redirect(from: self, to: forwardee)
      return isWanted && forwardee.attach(consume reaction, as: kind)
    }
    var settlement = Settlement()
    fire(consume reaction, inPlaceOf: nil, during: &settlement)
    settlement.complete()
    return true
  }

  /// Pushes the reaction, or gives it back if this promise is settled or collapsed.
  private func push(_ reaction: consuming Reaction, as kind: StateWord.Pushed) -> Reaction? {
    let consumes = kind == .plain && reaction.traits.isDisjoint(with: [.bystander, .requests])
    let reference = unsafe Unmanaged.passRetained(consume reaction)
    let address = unsafe UInt64(UInt(bitPattern: reference.toOpaque()))
    var old = cell
    while case .reaction(let new, let next) = old.push(address, as: kind, consumes: consumes) {
      unsafe reference._withUnsafeGuaranteedRef { $0.point(to: next) }
      // Releasing: the fields of the reaction. A failure acquires, because it may have found the promise closed, whose
      // payload the caller is going to read. Sequentially consistent for adopters (see `claim`), which costs no more.
      let (exchanged, found) = word.compareExchange(
        expected: old.bits, desired: new.bits, successOrdering: .sequentiallyConsistent, failureOrdering: .acquiring)
      if exchanged { return nil }
      old = StateWord(bits: found)
    }
    return unsafe reference.takeRetainedValue()
  }
}

extension AnyPromise {
  /// Leaves a request with the thread that is settling this promise. Returns `false` if the promise is settled or was collapsed.
  final func leave(_ reaction: Reaction) -> Bool { push(reaction, as: .plain) == nil }
}

extension Reaction {
  /// The promise that this reaction was to wait for has been collapsed into another. `false`: it waits for nothing any more.
  fileprivate final func redirect(from promise: AnyPromise, to forwardee: AnyPromise) -> Bool {
    guard traits.contains(.forwards) else {
      redirect(to: forwardee)
      return true
    }
    // It was counted at the collapsed promise, and so is at the other; or who has ended its edge has taken it off there.
    return asAdopting.adopted.replace(location(of: promise), by: location(of: forwardee))
  }
}
