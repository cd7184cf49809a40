import Synchronization

extension AnyPromise {
  /// Makes `target` what a handler makes of this promise.
  ///
  /// - Parameters:
  ///   - context: where the body runs for the outcomes in `traits`; `nil`: nowhere, the outcome passes through it.
  @usableFromInline
  final func derive(
    _ target: AnyPromise, on context: (any ExecutionContext)?, handling traits: Link.Traits,
    body: consuming @escaping LinkBody
  ) {
    if cell.isMoved {
      return resolved.derive(target, on: context, handling: traits, body: body)
    }
    let body = Diagnostics.isActive ? prepare(body, for: target, on: context, handling: traits) : body
    let link =
      traits.contains(.adopts)
      ? AdoptingLink(from: self, to: target, on: context, traits: traits, body: body)
      : Link(from: self, to: target, on: context, traits: traits, body: body)
    // Nobody else knows the target yet.
    target.producer.initialize(location(of: link))
    attach(link, as: .plain)
  }

  /// The same, with a handler for each outcome.
  @usableFromInline
  final func derive(
    _ target: AnyPromise, on context: any ExecutionContext, handling traits: Link.Traits,
    fulfilled: consuming @escaping LinkBody, rejected: consuming @escaping LinkBody
  ) {
    let source = resolved
    let isActive = Diagnostics.isActive
    let fulfilled = isActive ? source.prepare(fulfilled, for: target, on: context, handling: .value) : fulfilled
    let rejected = isActive ? source.prepare(rejected, for: target, on: context, handling: .error) : rejected
    let link = ForkedLink(
      from: source, to: target, on: context, traits: traits, fulfilled: fulfilled, rejected: rejected)
    target.producer.initialize(location(of: link))
    source.attach(link, as: .plain)
  }

  /// Lets a body see the outcome of this promise. Without a context it runs inside the settling call.
  @usableFromInline
  final func observe(
    on context: (any ExecutionContext)?, handling traits: Link.Traits, body: consuming @escaping LinkBody
  ) {
    if cell.isMoved { return resolved.observe(on: context, handling: traits, body: body) }
    let body = Diagnostics.isActive ? prepare(body, for: nil, on: context, handling: traits) : body
    attach(Link(from: self, to: nil, on: context, traits: traits, body: body), as: .plain)
  }

  /// Pushes the link, or fires it if this promise is settled.
  ///
  /// - Parameter isShared: somebody may hold this promise, apart from the caller.
  /// - Returns: whether the link was fired by this call.
  @discardableResult
  final func attach(_ link: consuming Link, as kind: CellWord.Pushed, isShared: Bool = true) -> Bool {
    guard let link = push(link, as: kind) else { return false }
    guard !cell.isMoved else {
      // Dissolved since the caller looked, which takes a weak reference that came back to life at that very moment.
      let isWanted = link.redirect(from: self, to: forwardee)
      return isWanted && forwardee.attach(link, as: kind)
    }
    var settlement = Settlement()
    fire(link, isShared: isShared, during: &settlement)
    settlement.complete()
    return true
  }

  /// Pushes the link, or gives it back if this promise is settled or dissolved.
  private func push(_ link: consuming Link, as kind: CellWord.Pushed) -> Link? {
    let consumes = kind == .plain && link.traits.isDisjoint(with: [.bystander, .requests])
    let reference = unsafe Unmanaged.passRetained(link)
    let address = unsafe UInt64(UInt(bitPattern: reference.toOpaque()))
    var old = cell
    while case .link(let new, let next) = old.push(address, as: kind, consumes: consumes) {
      unsafe reference._withUnsafeGuaranteedRef { $0.point(to: next) }
      // Releasing: the fields of the link. A failure acquires, because it may have found the promise closed, whose
      // payload the caller is going to read. Sequentially consistent for adopters (see `claim`), which costs no more.
      let (exchanged, found) = word.compareExchange(
        expected: old.bits, desired: new.bits, successOrdering: .sequentiallyConsistent, failureOrdering: .acquiring)
      if exchanged {
        keepWhileConsumed(before: old, after: new)
        return nil
      }
      old = CellWord(bits: found)
    }
    return unsafe reference.takeRetainedValue()
  }
}

extension AnyPromise {
  /// Pushes a link that does not count as a consumer. `false`: this promise is settled, or dissolved.
  final func push(_ request: CancelRequest) -> Bool { push(request, as: .plain) == nil }
}

extension Link {
  /// The promise that this link was to wait for has been dissolved into another. `false`: it waits for nothing any more.
  fileprivate final func redirect(from promise: AnyPromise, to forwardee: AnyPromise) -> Bool {
    guard traits.contains(.forwards) else {
      redirect(to: forwardee)
      return true
    }
    forwardee.gainConsumer()
    if asAdopting.inner.replace(location(of: promise), by: location(of: forwardee)) { return true }
    forwardee.lostConsumer(leavingBehind: 0)
    return false
  }
}
