import TestSupport

/// A few promises around one relation. The scene brings them to a stage in which a test cancels one of them.
final class CancelScene: Sendable {
  typealias Table = CancelTruthTable

  let stage: Table.Stage
  let context = ManualContext()
  let source = Deferred<Int>()
  let inner = Deferred<Int>()
  let promises: [Table.Role: AnyPromise]
  /// Results that handlers of the relation saw, and hooks that fired with their reasons.
  let seen = Log<Result<Int, any Error>>()
  let hooks = Log<(role: Table.Role, reason: any Error)>()
  /// The captures of handlers for a value, and of all other handlers.
  let captures = (forValues: Tracked.Census(), others: Tracked.Census())

  private let others: [AnyPromise]
  private let owners: Log<Deferred<Int>>
  private let whenRunning: Locked<(@Sendable () -> Void)?>

  init(_ relation: Table.Relation, _ stage: Table.Stage) {
    let builder = CancelSceneBuilder(
      stage: stage, context: context, source: source.promise, inner: inner.promise, seen: seen, hooks: hooks,
      captures: captures)
    let tree = builder.build(relation)
    (self.stage, owners, whenRunning) = (stage, builder.owners, builder.whenRunning)
    promises = [.source: source.promise, .adopted: inner.promise, .derived: tree.derived, .below: tree.below]
    others =
      switch stage {
      case .shared: [source.promise.map(on: context) { $0 }]
      case .adoptedShared, .returnsShared: [inner.promise.map(on: context) { $0 }]
      default: []
      }
    let hooks = hooks
    source.onCancel(on: .atOnce) { hooks.append((.source, $0)) }
    inner.onCancel(on: .atOnce) { hooks.append((.adopted, $0)) }
    reachStage(errors: relation.handlesOnlyErrors)
  }

  private func reachStage(errors: Bool) {
    switch stage {
    case .pending, .shared, .notStarted, .bodyRunning: break
    case .bodyRan: context.step()
    case .fulfilled: source.fulfill(1)
    case .rejected: source.reject(TestError(1))
    case .running, .returnsPending, .returnsShared: settleSource(fulfilling: !errors)
    case .adoptedPending, .adoptedShared, .adoptedFulfilled, .adoptedRejected, .adoptedSettled:
      if stage == .adoptedFulfilled { inner.fulfill(2) }
      if stage == .adoptedRejected { inner.reject(TestError(2)) }
      settleSource(fulfilling: !errors)
      context.step()
      if stage == .adoptedSettled { inner.fulfill(2) }
    }
  }

  func settleSource(fulfilling: Bool) { source.settle(fulfilling ? .success(1) : .failure(TestError(1))) }

  /// Makes the call, from outside or from within the handler. Returns the state of each promise when the call returned.
  /// The state of the adopted promise is read after the handler has returned.
  func perform(_ call: Table.Call, on role: Table.Role) -> [Table.Role: Table.End] {
    let promises = promises
    let reason = call.reason
    let ends = Locked<[Table.Role: Table.End]>([:])
    let action: @Sendable () -> Void = {
      promises[role].map(call.apply)
      ends.withLock { $0 = promises.compactMapValues { $0.end(reason: reason) } }
    }
    if stage.isRunning {
      whenRunning.withLock { $0 = action }
      context.step()
    } else {
      action()
    }
    return ends.withLock { ends in
      ends[.adopted] = inner.promise.end(reason: reason)
      return ends
    }
  }

  /// Settles pending promises, and runs all jobs.
  func finish(fulfilling: Bool) {
    settleSource(fulfilling: fulfilling)
    inner.fulfill(2)
    context.runUntilIdle()
    for owner in owners.entries { owner.fulfill(3) }
    context.runUntilIdle()
  }

  /// Returns the results that handlers saw, in a comparable form.
  func seenOutcomes(reason: any Error) -> [Table.SeenOutcome?] {
    seen.entries.map { result in
      switch Status(result) {
      case .fulfilled(0): .start
      case .fulfilled(1): .value
      case .failed(1), .failed(2): .error
      case .rejected(Failure(reason)): .reason
      default: nil
      }
    }
  }
}

extension CancelTruthTable.Relation {
  fileprivate var handlesOnlyErrors: Bool {
    if case .kind(let kind) = self { kind.handlesErrors && !kind.handlesValues } else { false }
  }
}

extension CancelTruthTable.Call {
  var reason: any Error {
    switch self {
    case .cancel, .cancelUpstream: CancellationError()
    case .cancelReason: TestError(7)
    }
  }

  func apply(to promise: AnyPromise) {
    switch self {
    case .cancel: promise.cancel()
    case .cancelReason: promise.cancel(reason: reason)
    case .cancelUpstream: promise.cancel(upstream: true)
    }
  }
}

extension AnyPromise {
  /// The state of the promise. It is `nil` for a mark without the reason and for a reason without the mark.
  fileprivate func end(reason: any Error) -> CancelTruthTable.End? {
    if isPending { return .pending }
    if isFulfilled { return isCancelled ? nil : .fulfilled }
    let failure = (self as? Promise<Int>)?.failure ?? (self as? Promise<Void>)?.failure
    return switch (isCancelled, failure == Failure(reason)) {
    case (true, true): .cancelled
    case (false, false): .rejected
    default: nil
    }
  }
}
