/// One handler whose turn has come, handed to an ``ExecutionContext``.
///
/// It runs once. A job that is released unrun rejects the promise derived by its handler with
/// ``PromiseError/contextDropped(createdAt:)``; a job that is run again does nothing (rules 2.1 and 6.2).
///
/// The rejection happens inside the release, in the releasing thread, and schedules the handlers that wait for it. So a context must
/// not release a job while it holds a lock that its ``ExecutionContext/schedule(_:)`` takes.
public struct Job: Sendable {
  let reaction: Reaction

  init(_ reaction: consuming Reaction) { self.reaction = reaction }

  /// Runs the handler in the calling thread, then settles the promise derived by it.
  public func run() { reaction.run(handlerReturned: {}) }

  /// Releases the handler unrun and rejects the promise derived by it, as if the handler had thrown: for a context that knows
  /// why it cannot run it. An observer is simply gone (rule 6.2).
  ///
  /// Before it returns, except below another such call: a chain of any length is refused in a loop (rule 6.4). This schedules
  /// the handlers that wait for the derived promise, perhaps on the same context, so the caller must hold no lock.
  ///
  /// May be called from any thread, and again. It does nothing if the job was run or rejected before, or if the derived promise was
  /// cancelled.
  ///
  /// - Parameter error: says why, in the place of ``PromiseError/contextDropped(createdAt:)``.
  public func reject(_ error: any Error) { reaction.refuse(because: error) }

  /// Rejects the promise derived by a handler that has started and will never return, because its thread ended inside it. Does
  /// nothing if that promise is settled, or if the handler only observes.
  package func rejectUnfinished(_ error: any Error) { DeferredSettlements.refuse(reaction, because: error) }

  /// As `run()`, for a context that wants to know when no code of the handler's runs any more and what follows is settlement.
  package func run(handlerReturned: () -> Void) { reaction.run(handlerReturned: handlerReturned) }
}

extension Job {
  /// The type of the promise that the handler will settle or observe, and the line of the link. The caller must be the only one that has the
  /// job, because running it releases what is read here.
  package var label: String {
    if let target = reaction.target { return "handler of \(target.typeText), \(CreationSite(target.site))" }
    return reaction.source.map { "observer of \($0.typeText), \(CreationSite($0.site))" } ?? "observer"
  }

  /// The line of the link. The caller must be the only one that has the job, as for ``label``.
  package var site: CreationSite? { (reaction.target ?? reaction.source).map { CreationSite($0.site) } }
}

extension Reaction {
  fileprivate final func run(handlerReturned: () -> Void) {
    let before = start()
    guard !before.isStarted, !before.isDetached else { return }
    if before.traits.contains(.hasOwner) { leaveToOwner() }
    // No reference to the target outlives these calls: a promise that is about to adopt must be known to be unique.
    let verdict = runBody(startedFrom: before)
    handlerReturned()
    switch consume verdict {
    case .settled: publishTarget()
    case .nothing, .awaits, .settles: endTarget()
    case .adopts(let adopted, let copy): withAdopting { unsafe $0.adopt(adopted, copyingBy: copy) }
    }
  }

  fileprivate final func refuse(because error: any Error) {
    let before = start()
    guard !before.isStarted, !before.isDetached else { return }
    // Released before the target is published (rule 2.4).
    _ = takeBody(forError: false, startedFrom: before)
    // A context may refuse inside the call that schedules, and so below the last refusal of a chain.
    if unsafe targetReference != nil { DeferredSettlements.refuse(self, because: error) }
  }

  /// The link was started, and let its body go: rejects its target, unless that was settled meanwhile.
  final func rejectTarget(with error: any Error) {
    let isClaimed = unsafe targetReference?._withUnsafeGuaranteedRef { $0.claim(rejecting: error) }
    if isClaimed == true { publishTarget() } else { endTarget() }
  }

  /// Runs the body and releases it with all it captured, before the target is published (rule 2.4).
  final func runBody(startedFrom before: ReactionWord) -> Verdict {
    // A link that starts a root waits for nothing, and its body looks at no outcome.
    guard let source = unsafe sourceReference ?? targetReference else { return .nothing }
    // Safe, here and below: the link holds its source and, while it is running, its target.
    return unsafe source._withUnsafeGuaranteedRef { source in
      guard let body = takeBody(forError: source.cellHint.isRejected, startedFrom: before) else { return .nothing }
      guard let target = unsafe targetReference else { return body(source, source) }
      return unsafe target._withUnsafeGuaranteedRef { body(source, $0) }
    }
  }

  /// The target is settled by the owner that the handler makes, and no longer by this link: it may follow others.
  private func leaveToOwner() {
    unsafe targetReference?._withUnsafeGuaranteedRef { $0.producer.clear(location(of: self)) }
  }

  final func publishTarget() {
    unsafe targetReference?._withUnsafeGuaranteedRef { $0.endProgress() }
    var settlement = Settlement()
    publishTarget(during: &settlement)
    settlement.complete()
  }

  final func endTarget() {
    // The handler's promise was settled by somebody else.
    unsafe targetReference?._withUnsafeGuaranteedRef { end($0) }
  }
}
