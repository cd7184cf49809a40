import Synchronization

/// Keeps the progress of one observed promise up to date. A watch is woken when something changes that its promise
/// waits for, and raises the progress of its promise.
///
/// The side tables at which it is registered retain the watch. A watch does not retain a promise that may be collapsed,
/// because a recursive loop would not run in flat memory then (rule 3.3).
///
/// Invariant: one thread at a time works on a watch, without a lock. Any other thread leaves a request in `requests`
/// and returns.
class ProgressWatch: @unchecked Sendable {
  // `@unchecked Sendable`, because the subclasses' stored properties belong to the thread that has raised `requests`
  // from 0.
  private let requests = Atomic<Int>(0)
  private weak let promise: AnyPromise?

  init(of promise: AnyPromise) { self.promise = promise }

  /// Wakes the watches, and then those that must look again because of them, in a loop.
  ///
  /// A watch with several inputs runs after the others and only once, because several of its inputs may have changed
  /// for the same reason. Otherwise the number of wake-ups could double at each of many results in a row.
  static func wake(_ watches: consuming [ProgressWatch]) {
    var waiting = watches
    var late: [ProgressWatch] = []
    while true {
      while let watch = waiting.popLast() {
        for other in watch.work() {
          if other.hasSeveralInputs { late.append(other) } else { waiting.append(other) }
        }
      }
      if late.isEmpty { return }
      var seen: Set<ObjectIdentifier> = []
      waiting = late.count == 1 ? late : late.filter { seen.insert(ObjectIdentifier($0)).inserted }
      late = []
    }
  }

  /// Whether one change may wake this watch on several ways.
  var hasSeveralInputs: Bool { false }

  /// Looks again, unless another thread is working on this watch. Returns the watches that must look again because of
  /// the result.
  private func work() -> [ProgressWatch] {
    // Acquiring and releasing. Pairs with itself and with the exchange below: the working thread sees the caller's
    // changes, and what it stores passes to the next working thread.
    guard requests.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return [] }
    var others: [ProgressWatch] = []
    var handled = 1
    while true {
      lookAgain(waking: &others)
      let (isIdle, found) = requests.compareExchange(expected: handled, desired: 0, ordering: .acquiringAndReleasing)
      if isIdle { return others }
      handled = found
    }
  }

  private func lookAgain(waking others: inout [ProgressWatch]) {
    guard let promise, !promise.acquiredState.isDone else { return unregister() }
    let value = computeProgress(of: promise, waking: &others)
    if let woken = promise.raiseProgress(to: value) { others += woken }
  }

  /// Returns the present progress of the promise. Adds watches that must look, too.
  func computeProgress(of promise: AnyPromise, waking others: inout [ProgressWatch]) -> Double { 0 }

  /// Removes the watch everywhere, because the promise is settled or was deallocated.
  func unregister() {}
}

extension AnyPromise {
  /// Makes a watch, which keeps the shown progress of this pending promise up to date from now on. The caller must wake
  /// it. Returns `nil` if the promise has a watch, or if it waits for no other promise.
  ///
  /// - Parameter reach: see `PathWatch`.
  final func makeProgressWatch(reach: Int = PathWatch.leastReach) -> ProgressWatch? {
    withState { state in
      guard state.isPending, side?.progress.watch == nil else { return nil }
      let watch: ProgressWatch
      if let combination = side?.combination {
        if combination.measure == .none { return nil }
        watch = CombinationWatch(of: combination)
      } else {
        let isEntry = state.isEntry && (state.stage == .waiting || state.stage == .adopting)
        guard isEntry || side?.follows.isEmpty == false else { return nil }
        watch = PathWatch(of: self, reach: reach)
      }
      sideTable.progress.becomeWatched(by: watch)
      return watch
    }
  }

  /// Makes the watch of this promise look again, because the promise has adopted or followed another.
  final func renewProgressWatch() {
    // Most promises have no side table.
    let (watch, isWanted) = locked { (side?.progress.watch, side?.progress.isWanted ?? false) }
    if let watch = watch ?? (isWanted ? makeProgressWatch() : nil) { ProgressWatch.wake([watch]) }
  }
}
