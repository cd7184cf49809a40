import Synchronization

// Claim, publish, fire: the way of every outcome. All loops; nothing here calls itself, however long a chain is.

extension AnyPromise {
  /// Wins the right to settle, or answers `false`: somebody else has it.
  @usableFromInline
  final func claim(_ claim: CellWord.Claim) -> Bool {
    var old = cellHint
    while let new = old.claim(claim) {
      // Sequentially consistent: an adopter publishes its edge and then looks whether its promise was claimed; a
      // canceller claims and then looks for the edge. One of them must see the other (rule 4.4).
      let (exchanged, found) = word.compareExchange(
        expected: old.bits, desired: new.bits, successOrdering: .sequentiallyConsistent, failureOrdering: .relaxed)
      if exchanged { return true }
      old = CellWord(bits: found)
    }
    return false
  }

  /// Claims and writes an error. The caller publishes.
  @usableFromInline
  final func claim(rejecting error: any Error, cancelled: Bool) -> Bool {
    guard claim(.rejecting(cancelled: cancelled)) else { return false }
    store(error)
    return true
  }

  /// Claims and writes an error that a user threw or rejected with. The caller publishes.
  @usableFromInline
  final func claim(rejecting error: any Error) -> Bool {
    claim(rejecting: error, cancelled: error is CancellationError)
  }

  /// Makes the payload readable, then schedules the handlers and settles what only passes the outcome on, in the order of
  /// attachment and, beyond this promise, breadth first. The caller has claimed, and has written the payload.
  @usableFromInline
  final func publish() {
    var settled = LinkList()
    publish(passingOnTo: &settled)
    Self.publishAll(&settled)
  }

  /// Publishes the targets of links whose outcome passed through, until there are none left.
  static func publishAll(_ settled: inout LinkList) {
    while let link = settled.popFirst() {
      let target = link.takeTarget()
      link.end(target)
      target.publish(passingOnTo: &settled)
    }
  }

  private func publish(passingOnTo settled: inout LinkList) {
    var old = cellHint
    while true {
      let publication = old.publish()
      let new =
        switch publication {
        case .drain(let word, _), .close(let word), .leaveToPruner(let word): word
        }
      // Releasing: the payload becomes readable. Acquiring: the links that were pushed become ours.
      let (exchanged, found) = word.compareExchange(
        expected: old.bits, desired: new.bits, successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
      if exchanged {
        if case .drain(_, let list) = publication { drain(LinkList(newest: list), passingOnTo: &settled) }
        return
      }
      old = CellWord(bits: found)
    }
  }

  /// Fires a list and whatever is pushed meanwhile, and closes the promise.
  final func drain(_ list: consuming LinkList, passingOnTo settled: inout LinkList) {
    var list = list
    while true {
      fire(&list, passingOnTo: &settled)
      var old = cellHint
      retry: while true {
        let closing = old.close()
        let new =
          switch closing {
          case .closed(let word), .drain(let word, _): word
          }
        // Releasing: who sees `closed` sees what was done before. Acquiring: what was pushed meanwhile becomes ours.
        let (exchanged, found) = word.compareExchange(
          expected: old.bits, desired: new.bits, successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
        guard exchanged else {
          old = CellWord(bits: found)
          continue
        }
        switch closing {
        case .closed: return
        case .drain(_, let newest):
          list = LinkList(newest: newest)
          break retry
        }
      }
    }
  }
}

// MARK: - Firing

extension AnyPromise {
  /// Fires links in order. Neighbours that share a context with an identity travel together.
  private func fire(_ list: inout LinkList, passingOnTo settled: inout LinkList) {
    if list.hasOne {
      if let link = list.popFirst() { fire(link, passingOnTo: &settled) }
      return
    }
    var batch = Batch()
    while let link = list.popFirst() {
      if let context = link.context, handles(link) {
        batch.add(Job(link), on: context)
      } else {
        fire(link, passingOnTo: &settled)
      }
    }
    batch.flush()
  }

  /// Fires one link of a settled promise: schedules its handler, or lets the outcome pass.
  final func fire(_ link: consuming Link, passingOnTo settled: inout LinkList) {
    if handles(link), let context = link.context {
      context.schedule(Job(link))
    } else if link.pass(outcomeOf: self) {
      settled.append(link)
    }
  }

  /// The link has a handler for the outcome of this promise.
  private func handles(_ link: Link) -> Bool {
    link.traits.contains(cellHint.isRejected ? .error : .value)
  }
}

extension Link {
  /// Hands the outcome of `source` to the target without running a handler. `true`: the target waits to be published.
  final func pass(outcomeOf source: AnyPromise) -> Bool {
    guard winPassing(from: source) else { return false }
    // An observer without interest in this outcome.
    guard let target else { return runInline(on: source) }
    if let error = source.error {
      guard target.claim(rejecting: error, cancelled: source.cellHint.isCancelled) else {
        end(target)
        return false
      }
      body = nil
      return true
    }
    guard let body = takeBody(), case .settled = body(source, target) else {
      end(target)
      return false
    }
    return true
  }

  /// An observer that runs where the promise is settled: a waiter of the library's own, never a user's handler.
  private func runInline(on source: AnyPromise) -> Bool {
    if context == nil, let body = takeBody() { _ = body(source, source) }
    return false
  }

  /// A forward is won by retiring its edge to the adopted promise, any other link by starting it.
  private func winPassing(from source: AnyPromise) -> Bool {
    if traits.contains(.forwards) { return asAdopting.inner.retire(location(of: source)) }
    let before = start()
    return !before.isStarted && !before.isDetached
  }

  /// Safe: the trait is set for that class only.
  final var asAdopting: AdoptingLink { unsafe unsafeDowncast(self, to: AdoptingLink.self) }

  final func takeBody() -> LinkBody? {
    let body = self.body
    self.body = nil
    return body
  }

  /// For a link that passed an outcome on, and so has a target.
  final func takeTarget() -> AnyPromise { unsafe target.unsafelyUnwrapped }

  /// The link has done what it was for. Its target is claimed.
  final func end(_ target: AnyPromise) {
    guard !traits.contains(.adopts) || asAdopting.elder == nil && target.producer.address == location(of: self) else {
      target.leaveAdopted()
      return
    }
    _ = target.producer.retire(location(of: self))
  }
}

/// Handlers of one settlement that travel to their context together.
private struct Batch {
  private var jobs: [Job] = []
  private var context: (any ExecutionContext)?
  private var identity: ObjectIdentifier?

  mutating func add(_ job: Job, on context: any ExecutionContext) {
    let identity = context.identity
    if identity == nil || identity != self.identity { flush() }
    jobs.append(job)
    self.context = context
    self.identity = identity
  }

  mutating func flush() {
    guard let context else { return }
    if jobs.count == 1 { context.schedule(jobs[0]) } else { context.schedule(batch: jobs) }
    jobs = []
    self.context = nil
    identity = nil
  }
}
