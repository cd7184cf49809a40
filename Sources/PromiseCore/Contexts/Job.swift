/// One handler that is ready to run, for an ``ExecutionContext``.
///
/// A job runs once. Running it again does nothing (rule 2.1). Releasing a job that has not run rejects the promise
/// derived by its handler with ``PromiseError/contextDropped(createdAt:)`` (rule 6.2).
///
/// That rejection happens on the releasing thread, inside the release, and schedules the handlers that wait for the
/// promise. So a context must not release a job while it holds a lock that its ``ExecutionContext/schedule(_:)`` takes.
public struct Job: Sendable {
  let reaction: Reaction

  init(_ reaction: consuming Reaction) { self.reaction = reaction }

  /// Runs the handler on the calling thread, then settles the promise derived by it.
  public func run() { reaction.run(handlerReturned: {}) }

  /// Returns a pointer that owns the job, for a function of C. It must be given to ``run(owning:)`` exactly once.
  package consuming func intoPointer() -> UnsafeMutableRawPointer { unsafe Unmanaged.passRetained(reaction).toOpaque() }

  /// Runs the job that the pointer owns, and releases it.
  ///
  /// - Parameter pointer: the result of ``intoPointer()``, which is invalid from here on.
  package static func run(owning pointer: UnsafeMutableRawPointer) {
    // Safe: `intoPointer` has retained it, and the caller gives a pointer only once.
    Job(unsafe Unmanaged<Reaction>.fromOpaque(pointer).takeRetainedValue()).run()
  }

  /// Releases the handler without running it, and rejects the promise derived by it with an error.
  ///
  /// A context calls this when it cannot run the job and knows the reason. If the handler is an observer, there is no
  /// promise to reject. Does nothing if the job was run or rejected before, or if the derived promise was cancelled.
  ///
  /// The promise is rejected when this returns, unless the call is nested in another such call on the same thread. Then
  /// the outer call rejects it before it returns. So a chain of any length is rejected in a loop (rule 6.4). The
  /// rejection schedules the handlers that wait for the derived promise, perhaps on the same context, so the caller
  /// must hold no lock. May be called from any thread.
  ///
  /// - Parameter error: the error of the derived promise, instead of ``PromiseError/contextDropped(createdAt:)``.
  public func reject(_ error: any Error) { reaction.rejectUnrun(with: error) }

  /// Rejects the promise derived by a handler that has started and will never return, because its thread ended inside
  /// it. Does nothing if that promise is settled, or if the handler is an observer.
  package func rejectUnfinished(_ error: any Error) { DeferredSettlements.rejectTarget(of: reaction, with: error) }

  /// Runs the job as `run()` does, and calls the closure when the handler has returned, before the derived promise is
  /// published.
  package func run(handlerReturned: () -> Void) { reaction.run(handlerReturned: handlerReturned) }
}

extension Job {
  /// Describes the handler by the type of the promise that it settles or observes, and by the creation site of its
  /// link.
  ///
  /// Only the sole holder of the job may read this, because running the job releases what is read here.
  package var label: String {
    if let target = reaction.target { return "handler of \(target.typeText), \(CreationSite(target.site))" }
    let kind = reaction.traits.contains(.runsHooks) ? "hooks" : "observer"
    return reaction.source.map { "\(kind) of \($0.typeText), \(CreationSite($0.site))" } ?? kind
  }

  /// The creation site of the link. Only the sole holder of the job may read this, as for ``label``.
  package var site: CreationSite? { (reaction.target ?? reaction.source).map { CreationSite($0.site) } }
}

extension Reaction {
  fileprivate final func run(handlerReturned: () -> Void) {
    let before = start()
    guard !before.isStarted, !before.isDetached else { return }
    if before.traits.contains(.hasOwner) { leaveToOwner() }
    // No reference to the target outlives these calls, because a promise that is about to adopt is tested for
    // uniqueness.
    let verdict = runBody(startedFrom: before)
    handlerReturned()
    switch consume verdict {
    case .settled: publishTarget()
    case .nothing, .awaits, .settles: endWithoutSettling()
    case .adopts(let adopted, let copy): withAdopting { unsafe $0.adopt(adopted, copyingBy: copy) }
    }
  }

  fileprivate final func rejectUnrun(with error: any Error) {
    let before = start()
    guard !before.isStarted, !before.isDetached else { return }
    // Releases the body before the target is published (rule 2.4).
    _ = takeBody(forError: false, startedFrom: before)
    // Postponed, because a context may reject a job inside `schedule`, and so inside the previous rejection of a chain.
    if unsafe targetReference != nil { DeferredSettlements.rejectTarget(of: self, with: error) }
  }

  /// Rejects the target of a reaction that was started and has released its body. Does nothing if the target was
  /// settled meanwhile.
  final func rejectTarget(with error: any Error) {
    let isClaimed = unsafe targetReference?._withUnsafeGuaranteedRef { $0.claim(rejecting: error) }
    if isClaimed == true { publishTarget() } else { endWithoutSettling() }
  }

  /// Runs the body and releases it with its captures, before the target is published (rule 2.4).
  final func runBody(startedFrom before: ReactionWord) -> Verdict {
    // A reaction that starts a root has no source. Its body does not read an outcome, so the target takes the source's
    // place.
    guard let source = unsafe sourceReference ?? targetReference else { return .nothing }
    // Safe, here and below, because the reaction holds its source and, while it is running, its target.
    return unsafe source._withUnsafeGuaranteedRef { source in
      guard let body = takeBody(forError: source.relaxedState.isRejected, startedFrom: before) else { return .nothing }
      guard let target = unsafe targetReference else { return body(source, source) }
      return unsafe target._withUnsafeGuaranteedRef { body(source, $0) }
    }
  }

  /// Hands the target to the owner that the handler makes. From now on this reaction does not settle the target, so the
  /// owner may make it follow other promises.
  private func leaveToOwner() {
    unsafe targetReference?._withUnsafeGuaranteedRef { $0.producer.clear(location(of: self)) }
  }

  final func publishTarget() {
    unsafe targetReference?._withUnsafeGuaranteedRef { $0.endProgress() }
    var settlement = Settlement()
    publishTarget(during: &settlement)
    settlement.complete()
  }

  final func endWithoutSettling() {
    // Another thread has settled the target.
    unsafe targetReference?._withUnsafeGuaranteedRef { endWithoutSettling($0) }
  }
}
