// A cancellation decides which of the promises that it has settled have not finished (rule 2.11), and when the cleanups
// begin that it has caused (rule 2.10).

/// What a cancellation knows of work that still runs behind the promises that it settles. It decides when everything is
/// settled, and before anything is fired.
struct UnfinishedWork {
  /// Whether something may not have finished.
  var isDecisionNeeded = false
  /// A promise is rejected because it would wait for itself (rule 3.2). It leaves the ring, and does not wait for it.
  var breaksRing = false
  /// Waits for the promises that are given up, and has a hold until it is known which.
  var dependent: Finish?
  /// Promises that are settled, or are not cancelled, and the finishes that have a hold until they have finished.
  private var awaited: [(promise: AnyPromise, finish: Finish)] = []
  private var cleanups: [Cleanup] = []
  /// Departures that have settled nothing.
  private var departed: [Cancellation.Leaving] = []

  /// A handler that begins a cleanup, and that is in the list of a promise which was settled.
  private struct Cleanup {
    /// The link, or the observer by which its handler runs.
    let entry: PromisePointer
    let link: PromisePointer
    /// The promise in whose list the entry is.
    let source: PromisePointer
    /// Ends when the cleanup may begin.
    let begin: Finish
  }

  /// Holds the finish of a promise for everything of its own that still runs. The promise is locked and about to be
  /// settled.
  ///
  /// - Parameter ended: what was taken out of the promise, if it is an entry.
  /// - Returns: `nil` if nothing of it runs.
  @inline(__always)
  mutating func hold(
    _ promise: AnyPromise, _ state: StateWord, as ending: StateWord.Ending, _ ended: EndedEntry
  ) -> Finish? {
    let isSourcePending = ended.waitedFor == .pendingSource
    // The handler is running, or is kept and runs for the outcome of a settled source.
    let keepsHandler = state.isEntry && state.stage != .ended && !(ended.keepsHandler && isSourcePending)
    let awaitsCleanup = isSourcePending && promise.traits.contains(.awaitsCleanup) && !breaksRing
    if !keepsHandler, !ended.runsBody, ended.unfinishedSource == nil, !awaitsCleanup, promise.side == nil { return nil }
    return hold(promise, as: ending, ended, keepsHandler: keepsHandler, until: awaitsCleanup ? ended.source : nil)
  }

  @inline(never)
  private mutating func hold(
    _ promise: AnyPromise, as ending: StateWord.Ending, _ ended: EndedEntry, keepsHandler: Bool,
    until cleanup: AnyPromise?
  ) -> Finish? {
    var count = 0
    if keepsHandler { count += 1 }
    if ended.runsBody { count += 1 }
    if ended.unfinishedSource != nil { count += 1 }
    if cleanup != nil { count += 1 }
    promise.holdFinishForHooks(afterCancelling: ending.runsHooks)
    if count == 0, promise.side?.finish == nil { return nil }
    isDecisionNeeded = true
    let finish = promise.madeFinish
    if count > 0 { finish.hold(count) }
    if keepsHandler {
      promise.sideTable.holdsFinish = true
      finish.note(whileSettling: .handler(promise))
    }
    if let cleanup { awaited.append((cleanup, finish)) }
    if let source = ended.unfinishedSource { awaited.append((source, finish)) }
    return finish
  }

  /// Adds a handler that begins a cleanup, and that is in the list of a settled promise.
  ///
  /// - Parameters:
  ///   - entry: the link, or the observer by which its handler runs.
  ///   - source: the promise in whose list the entry is.
  mutating func addCleanup(_ entry: PromisePointer, of link: PromisePointer, firedBy source: PromisePointer) {
    let begin = link.with { link in link.locked { Finish(of: link) } }
    cleanups.append(Cleanup(entry: entry, link: link, source: source, begin: begin))
  }

  /// Adds a departure that has settled nothing.
  mutating func add(_ leaving: Cancellation.Leaving) { if leaving.waiting != nil { departed.append(leaving) } }

  /// Notes that a consumer has found the promise settled for which it waited, or is not in the list of that yet.
  mutating func note(_ leaving: Cancellation.Leaving, from promise: AnyPromise) {
    guard !breaksRing, let entry = leaving.departure.entry, let waiting = leaving.waiting else { return }
    departed.append(leaving)
    // The thread that appends the entry gives the promise up when it looks again. If it has looked, it may have settled
    // the promise just now.
    let isHeld = promise.acquiredState.isPending && waiting.with { entry.holdUntilLook($0) }
    if isHeld || promise.acquiredState.isUnfinished { isDecisionNeeded = true }
  }

  /// Makes the result of a combinator, which was settled here, wait for the inputs that are settled and have not
  /// finished. Another thread that fires an input may find the result settled, and leaves that to this one.
  mutating func await(_ inputs: [AnyPromise], for result: AnyPromise) {
    guard Finish.isUsed else { return }
    for input in inputs where input.resolvedState.isUnfinished {
      isDecisionNeeded = true
      awaited.append((input, result.locked { result.heldMadeFinish }))
    }
  }

  /// Decides which of the promises that were settled have not finished, and takes the handlers of cleanups that may not
  /// begin yet out of the lists that are fired.
  ///
  /// - Parameter begun: those of the promises that were settled by a departure.
  mutating func decide(for settled: inout [Settled], _ begun: [Cancellation.Begun]) {
    if isDecisionNeeded || departed.contains(where: \.runsKeptHandler) {
      if settled.count == 1, departed.isEmpty, cleanups.isEmpty {
        decide(for: settled[0])
      } else {
        decideNow(for: &settled, begun)
      }
    }
    dependent.take()?.release()
  }

  /// Decides for a promise beside which nothing else was settled.
  private func decide(for settled: Settled) {
    guard let finish = settled.promise.with({ promise in promise.locked { promise.side?.finish } }) else { return }
    if let dependent { finish.precede(dependent) }
    for (promise, finish) in awaited { finish.passHold(to: promise) }
    finish.release()
  }

  private mutating func decideNow(for settled: inout [Settled], _ begun: [Cancellation.Begun]) {
    var places: [UInt: Int] = [:]
    var made: [(promise: PromisePointer, finish: Finish)] = []
    var finishes: [UInt: Finish] = [:]
    for place in settled.indices {
      let promise = settled[place].promise
      let (finish, isKnown) = promise.with { promise in
        promise.locked { promise.side?.finish.map { ($0, true) } ?? (Finish(of: promise), false) }
      }
      if !isKnown { made.append((promise, finish)) }
      finishes[promise.address] = finish
      places[promise.address] = place
    }
    var begins: [UInt: Finish] = [:]
    for cleanup in cleanups { begins[cleanup.link.address] = cleanup.begin }

    for begun in begun {
      guard let source = finishes[settled[begun.index].promise.address] else { continue }
      if let waiting = begun.waiting {
        link(source, to: waiting, keepsHandler: begun.keepsHandler, among: finishes, begins)
      }
      // Directly or not, `dependent` has given it up.
      if let dependent { source.precedeUnnoted(dependent) }
    }
    for leaving in departed { link(leaving, among: finishes, begins) }
    for promise in settled {
      guard let source = finishes[promise.promise.address] else { continue }
      for entry in promise.entries {
        guard let finish = finishes[entry.address], !entry.with({ $0.traits.contains(.shields) }) else { continue }
        source.precedeUnnoted(finish)
        if let begin = begins[entry.address] { source.precedeUnnoted(begin) }
      }
    }
    for (promise, finish) in awaited { finish.passHold(to: promise) }

    // From the sources on, so that what has finished is known before what waited for it.
    for promise in settled.reversed() { finishes[promise.promise.address]?.release() }
    for (promise, finish) in made where !finish.isEnded {
      promise.with { promise in promise.locked { promise.sideTable.finish = finish } }
    }
    for finish in finishes.values where !finish.isEnded { finish.noteInDependents() }
    for cleanup in cleanups {
      cleanup.begin.release()
      if !cleanup.begin.isEnded, let place = places[cleanup.source.address] {
        postpone(cleanup, in: &settled[place].entries)
      }
    }
  }

  /// Makes a promise that was settled here wait for another one.
  private func link(
    _ source: Finish, to waiting: PromisePointer, keepsHandler: Bool, among finishes: [UInt: Finish],
    _ begins: [UInt: Finish]
  ) {
    guard let finish = finishes[waiting.address] else { return }
    source.precedeUnnoted(finish)
    if let begin = begins[waiting.address] { source.precedeUnnoted(begin) }
    if keepsHandler { waiting.with { $0.holdForKeptHandler(finish) } }
  }

  /// Makes a promise wait for what it has left, if that is settled.
  private mutating func link(
    _ leaving: Cancellation.Leaving, among finishes: [UInt: Finish], _ begins: [UInt: Finish]
  ) {
    guard let waiting = leaving.waiting else { return }
    let promise = leaving.departure.promise.resolved
    if let source = finishes[PromisePointer(promise).address] {
      link(source, to: waiting, keepsHandler: leaving.departure.keepsHandler, among: finishes, begins)
    } else if promise.acquiredState.isUnfinished, let finish = finishes[waiting.address] {
      // Settled by another thread.
      finish.hold()
      awaited.append((promise, finish))
    }
  }

  /// Lets the handler of a cleanup be fired when that for which its promise waited has finished.
  private func postpone(_ cleanup: Cleanup, in entries: inout EntryList) {
    cleanup.entry.with { entries.remove($0) }
    let handler = CleanupHandler(cleanup.entry, firedBy: cleanup.source.strong)
    if !cleanup.begin.whenEnded(handler.begin) { entries.prepend(handler.take()) }
  }
}

/// A handler that begins a cleanup, until it is fired.
///
/// `@unchecked Sendable`, because the pointer is taken by the thread that fires the handler, or in `deinit`.
private final class CleanupHandler: @unchecked Sendable {
  /// Owns a reference.
  private var entry: PromisePointer?
  private let source: AnyPromise

  init(_ entry: PromisePointer, firedBy source: AnyPromise) {
    self.entry = entry
    self.source = source
  }

  deinit {
    // What it waits for was lost, so the cleanup never begins.
    guard let entry else { return }
    _ = entry.with { $0.detach() }
    entry.release()
  }

  func take() -> PromisePointer {
    guard let entry = entry.take() else { preconditionFailure("A cleanup was begun twice.") }
    return entry
  }

  func begin() {
    var queue = FiringQueue()
    source.fire(take(), &queue)
    queue.fireAll()
  }
}

extension AnyPromise {
  /// Holds the finish of a promise, which was settled and for which nothing is decided yet, until the thread that
  /// appends this ended entry has looked again. Returns `false` if it has.
  fileprivate final func holdUntilLook(_ promise: AnyPromise) -> Bool {
    guard locked({ unsafe link.pointee.isToLookAgain }) else { return false }
    let finish = promise.locked { promise.madeFinish }
    finish.hold()
    let isHeld = locked {
      guard unsafe link.pointee.isToLookAgain else { return false }
      sideTable.finish = finish
      sideTable.holdsFinish = true
      return true
    }
    if !isHeld { finish.release() }
    return true
  }

  /// Holds the finish of this cancelled link until the handler that it has kept has ended. Does nothing if that is
  /// over.
  fileprivate final func holdForKeptHandler(_ finish: Finish) {
    let isHeld = withState { state in
      if state.stage == .ended || sideTable.holdsFinish { return false }
      finish.hold()
      sideTable.finish = finish
      sideTable.holdsFinish = true
      return true
    }
    if isHeld { finish.note(.handler(self)) }
  }
}
