import Synchronization

/// A report that a rejected promise was deallocated and its rejection was not handled (rule 7.1).
public struct UnhandledRejection: Sendable, CustomStringConvertible {
  /// The error of the promise.
  public let error: any Error

  /// The place where the promise was made. This is the last promise that had the error, and was made by an owner or by
  /// a link.
  public let createdAt: CreationSite

  /// The path of the rejection, if ``Diagnostics/recordsRejectionTrails`` was on.
  public let trail: RejectionTrail?

  /// Describes in one line where the promise was made, the error, and its path if it is known.
  public var description: String {
    "\(createdAt): unhandled rejection: \(oneLine(error))" + (trail.map { "; \($0)" } ?? "")
  }

  /// A line for the programmer, with the error, the place where the promise was made, and advice.
  package var hint: String {
    """
    unhandled rejection: \(oneLine(error)), of the promise made at \(createdAt). Handle it with `catch` or `recover`, \
    or turn this message off: `Diagnostics.printsUnhandledRejections = false`.
    """ + (trail.map { " It was \($0)." } ?? "")
  }
}

extension Diagnostics {
  #if DEBUG
    private static let printing = Atomic<Bool>(true)
  #else
    private static let printing = Atomic<Bool>(false)
  #endif

  /// Whether unhandled rejections are printed to standard error while no hook is set for them.
  ///
  /// The default is `true` if the library itself is compiled for debugging, otherwise `false`. A line with the first
  /// error is printed once for each creation site, when the promise is deallocated. A hook of
  /// ``onUnhandledRejection(_:)`` or ``scoped(unhandledRejection:secondSettlement:unstoppedWork:_:)-55re6`` replaces
  /// printing. A test world reports the promises that were made in it. Second settlements are not printed. Debug builds
  /// of the library also print when a closure of `map` has returned a promise that nothing has used, because `then` was
  /// meant.
  ///
  /// Programs that import PromiseCore alone print nothing, because the printing code is part of PromiseContexts.
  ///
  /// May be changed at any time, from any thread.
  public static var printsUnhandledRejections: Bool {
    // Relaxed, because nothing else is published with it.
    get { printing.load(ordering: .relaxed) }
    set { printing.store(newValue, ordering: .relaxed) }
  }

  /// The hook that prints reports while no other hook is set.
  static var printingHook: (@Sendable (UnhandledRejection) -> Void)? {
    guard printsUnhandledRejections, let services = ContextServices.registered else { return nil }
    return { services.print($0) }
  }
}

// The record of whether a rejection was handled (rule 7.1). Only rejected promises pay for it.
//
// The mark is set when a handler runs, not when it is attached, because a handler that its context drops has handled
// nothing.

extension AnyPromise {
  /// The error of a settled promise, if it was rejected, for a reader that handles the rejection.
  @usableFromInline final var errorMarkingHandled: (any Error)? {
    guard let error = storedError else { return nil }
    markHandled()
    return error
  }

  /// The error of a settled promise, if it was rejected without the cancelled mark, for a reader that handles the
  /// rejection.
  @usableFromInline final var failureMarkingHandled: (any Error)? { isCancelled ? nil : errorMarkingHandled }

  /// The error of a settled promise, if it was rejected with an error of a type, for a reader that handles the
  /// rejection.
  ///
  /// - Parameter predicate: returns whether the reader handles this error.
  @_alwaysEmitIntoClient
  final func errorMarkingHandled<E: Error>(as type: E.Type, where predicate: ((E) -> Bool)? = nil) -> E? {
    guard let error = storedError as? E, predicate?(error) != false else { return nil }
    markHandled()
    return error
  }

  /// The error of a settled promise, if it was rejected with an error of a type and without the cancelled mark, for a
  /// reader that handles the rejection.
  @_alwaysEmitIntoClient
  final func failureMarkingHandled<E: Error>(as type: E.Type, where predicate: ((E) -> Bool)? = nil) -> E? {
    isCancelled ? nil : errorMarkingHandled(as: type, where: predicate)
  }

  /// Records that the rejection of this settled promise was handled.
  @usableFromInline
  final func markHandled() {
    markDutyPassed()
    if relaxedState.isRejected { takeRingReport() }
  }

  /// Records that the duty to handle the rejection of this settled promise was passed on.
  ///
  /// - Parameter promise: the promise that has the duty now. If it does not belong to the ring of this promise, the
  ///   ring reports nothing. `nil` if the rejection was discarded.
  final func markDutyPassed(to promise: AnyPromise? = nil) {
    if relaxedState.isUnhandled { withState { $0 = $0.becomingHandled() } }
    if let promise, RingReport.wasShared, let report = ringReport, promise.ringReport !== report { takeRingReport() }
  }
}

extension AnyPromise {
  /// Reports the rejection of this promise, which is being deallocated, if the rejection was not handled.
  @inline(never)
  final func reportUnhandledRejection() {
    guard let hook = Diagnostics.unhandledRejectionHook(in: scope), let unhandledRejection else { return }
    if let ringReport = reportOfRing {
      ringReport.keep(unhandledRejection, for: hook)
    } else {
      HookCall.call(hook, with: unhandledRejection)
    }
  }

  /// Returns the report of an unhandled rejection, and marks the rejection as handled.
  package final func takeUnhandledRejection() -> UnhandledRejection? {
    // Another thread may reject a pending promise after this look, which has not seen the rejection.
    guard acquiredState.isDone else { return nil }
    defer { markHandled() }
    return unhandledRejection.flatMap { takeRingReport() ? $0 : nil }
  }

  /// The settled promise that waits for the handler of this link or observer, if the handler is scheduled and has not
  /// started. Whether it handles a rejection is known only when it has run. A hook handles none.
  package final var sourceOfScheduledHandler: AnyPromise? {
    let state = lock()
    defer { unlock(state) }
    guard state.isEntry, state.stage == .scheduled, !traits.contains(.runsHooks) else { return nil }
    return unsafe link.pointee.source?.strong
  }

  /// The report for a promise that is rejected and whose rejection was not handled so far, otherwise `nil`.
  private final var unhandledRejection: UnhandledRejection? {
    let state = acquiredState
    guard state.isDone, state.isUnhandled, !isHandledInAdvance, let error = storedError else { return nil }
    return UnhandledRejection(error: error, createdAt: createdAt, trail: trail)
  }

  /// Reports that the owner settles this promise a second time, and returns `false`.
  ///
  /// - Parameters:
  ///   - error: the error that the owner passed, or `nil` for a value.
  ///   - isFollowing: whether the owner passed a promise to follow, which was rejected with the error if there is one.
  /// - Returns: `false`, as the result of the owner's call.
  @inline(never) @usableFromInline
  final func reportSecondSettlement(_ error: (any Error)? = nil, isFollowing: Bool = false) -> Bool {
    if let hook = Diagnostics.secondSettlementHook(in: scope) {
      let state = resolved.acquiredState
      let report = SecondSettlement(
        error: error, createdAt: CreationSite(site), wasCancelled: state.isEndedByCall,
        wasTimedOut: state.isTimedOut, wasFollowing: isFollowing)
      HookCall.call(hook, with: report)
    }
    return false
  }
}

/// The one report that the promises of a ring may make together (rule 7.1).
///
/// The promise that was found to wait for itself is rejected, and its error passes to the others. They share the
/// report, and retain it. Each promise that is deallocated unhandled leaves its rejection here. The report is made when
/// the last promise has released it, because a consumer of any promise may handle the error until then. The promises
/// that a handler or a flight has made are often deallocated while the ring is being broken.
///
/// `@unchecked Sendable`, because the lock guards the variable.
final class RingReport: @unchecked Sendable {
  // Relaxed, because nothing is published with it.
  private let isTaken = Atomic<Bool>(false)
  private let lock = ShortLock()
  /// The rejection of the promise that was deallocated last.
  private var kept: (rejection: UnhandledRejection, hook: @Sendable (UnhandledRejection) -> Void)?

  deinit {
    if let kept, take() { HookCall.call(kept.hook, with: kept.rejection) }
  }

  /// Takes the report. Returns `false` if it was taken before, by a report, or because the error was handled or passed
  /// to a promise outside the ring.
  func take() -> Bool { !isTaken.exchange(true, ordering: .relaxed) }

  /// Keeps the rejection of a promise that is being deallocated, for the case that this report is made.
  func keep(_ rejection: UnhandledRejection, for hook: @escaping @Sendable (UnhandledRejection) -> Void) {
    let former = lock.locked {
      defer { kept = (rejection, hook) }
      return kept
    }
    // Released outside the lock.
    withExtendedLifetime(former) {}
  }

  /// Whether any promises share a report, so that a promise that passes its rejection on looks for one.
  ///
  /// Relaxed, because a thread that sees a promise rejected also sees what happened before the rejection.
  static var wasShared: Bool { sharing.load(ordering: .relaxed) }

  private static let sharing = Atomic<Bool>(false)
  /// Held while promises get their report, so that two threads that close a ring together give it one.
  private static let sharingLock = ShortLock()

  /// Gives the promises one report, unless one of them has a report already.
  static func share(among promises: [AnyPromise]) {
    sharing.store(true, ordering: .relaxed)
    let new = RingReport()
    let former = sharingLock.locked {
      var report = new
      for promise in promises { if let existing = promise.ringReport { report = existing } }
      return promises.compactMap { promise in
        promise.locked {
          defer { promise.sideTable.ringReport = report }
          return promise.side?.ringReport
        }
      }
    }
    // Released outside the lock, because that may make a report.
    withExtendedLifetime(former) {}
  }
}

extension AnyPromise {
  /// Takes the report of the ring whose error this settled promise has. Returns `false` if the report was taken before.
  @discardableResult
  final func takeRingReport() -> Bool { reportOfRing?.take() ?? true }

  /// The report of the ring whose error this settled promise has.
  private final var reportOfRing: RingReport? {
    // A promise of the ring may have been rejected with another error at the same moment.
    guard let report = ringReport, case PromiseError.cycle? = storedError as? PromiseError else { return nil }
    return report
  }

  fileprivate final var ringReport: RingReport? { locked { side?.ringReport } }

  /// The report that this promise shares with another promise of its ring.
  final func reportShared(with other: AnyPromise) -> RingReport? {
    guard RingReport.wasShared, let report = ringReport, other.ringReport === report else { return nil }
    return report
  }

  /// Makes this promise share the report of a ring whose error it passes from one promise of the ring to another.
  final func share(_ report: RingReport) {
    let former = locked {
      defer { sideTable.ringReport = report }
      return side?.ringReport
    }
    // Released outside the lock, because that may make a report.
    withExtendedLifetime(former) {}
  }

  /// The promises of the rings through this pending promise: those for which it waits, and which wait for it. This
  /// promise is the first. Each of the others waits for an earlier one.
  ///
  /// - Parameter adopted: a settled promise for which this promise would wait, too.
  /// - Complexity: O(*n*), where *n* is the number of promises for which this promise waits.
  final func promisesOfRing(through adopted: AnyPromise?) -> [AnyPromise] {
    var waiters = Waiters()
    if let adopted { waiters.add(self, of: adopted) }
    for start in [self, adopted].compactMap(\.self) { start.forEachAwaited { waiters.visit($0) } }
    return waiters.all(of: self).compactMap { $0 as? AnyPromise }
  }
}

/// The promises and finishes that wait for each of those that a search has visited.
private struct Waiters {
  private var waiters: [ObjectIdentifier: [AnyObject]] = [:]
  private var visited: Set<ObjectIdentifier> = []

  mutating func add(_ waiter: AnyObject, of awaited: AnyObject) {
    waiters[ObjectIdentifier(awaited), default: []].append(waiter)
  }

  /// Adds a promise to everything for which it waits itself. A finish is visited once, because many promises may wait
  /// for it.
  mutating func visit(_ promise: AnyPromise) -> AnyPromise.Walk {
    guard visited.insert(ObjectIdentifier(promise)).inserted else { return .turnBack }
    var sources: [AnyPromise] = []
    promise.appendAwaited(to: &sources)
    let (finish, awaited) = promise.locked { (promise.side?.finish, promise.side?.awaited as? AwaitedFinish) }
    var finishes: [Finish] = []
    func addFinish(_ finish: Finish, awaitedBy waiter: AnyObject) {
      add(waiter, of: finish)
      if visited.insert(ObjectIdentifier(finish)).inserted { finishes.append(finish) }
    }
    if let finish { addFinish(finish, awaitedBy: promise) }
    for thing in awaited?.awaited ?? [] {
      switch thing {
      case .promise(let promise): sources.append(promise)
      case .finish(let finish): addFinish(finish, awaitedBy: promise)
      case .hook, .end: break
      }
    }
    for source in sources { add(promise, of: source.resolved) }
    while let finish = finishes.popLast() {
      if finish.isEnded { continue }
      for note in finish.currentNotes {
        switch note {
        case .finish(let other): if let other = other.object { addFinish(other, awaitedBy: finish) }
        case .promise(let promise, _): if let promise = promise.object { add(finish, of: promise.resolved) }
        case .handler, .hook, .task: break
        }
      }
    }
    return .goOn
  }

  /// Returns a promise and everything that waits for it, directly or not. The promise is the first, and each of the
  /// others waits for an earlier one.
  func all(of promise: AnyPromise) -> [AnyObject] {
    var members: Set<ObjectIdentifier> = [ObjectIdentifier(promise)]
    var found: [AnyObject] = [promise]
    var index = 0
    while index < found.count {
      for waiter in waiters[ObjectIdentifier(found[index])] ?? []
      where members.insert(ObjectIdentifier(waiter)).inserted {
        found.append(waiter)
      }
      index += 1
    }
    return found
  }
}
