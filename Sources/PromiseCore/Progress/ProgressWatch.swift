import Synchronization

/// Keeps the progress of one observed promise up to date. A watch is woken when something changes that its promise
/// waits for, and raises the progress of its promise.
///
/// A watch does not retain any promise, because a retained promise could not be collapsed, and a recursive loop would
/// not run in flat memory (rule 3.3). The side tables at which it is registered retain the watch.
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
    var (waiting, late) = (watches, [] as [ProgressWatch])
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
      others += lookAgain()
      let (isIdle, found) = requests.compareExchange(expected: handled, desired: 0, ordering: .acquiringAndReleasing)
      if isIdle { return others }
      handled = found
    }
  }

  private func lookAgain() -> [ProgressWatch] {
    guard let promise, !promise.acquiredState.isDone else {
      unregister()
      return []
    }
    let value = computeProgress(of: promise)
    return value > 0 ? promise.raiseProgress(to: value)?.watches ?? [] : []
  }

  /// Returns the present progress of the promise.
  func computeProgress(of promise: AnyPromise) -> Double { 0 }

  /// Removes the watch everywhere, because the promise is settled or was deallocated.
  func unregister() {}
}

/// The watch of a derived or following promise.
///
/// It is registered only where the progress can change, at its *posts*. These are the furthest pending promises, and
/// each promise that has adopted another. So a report at the top of a long chain reaches the observers at its end
/// directly, without visiting the promises in between. When a post is settled, the next post is found from the *trail*,
/// which remembers the nearest of the promises in between. The watch does not look beyond a promise that has a watch of
/// its own.
///
/// `@unchecked Sendable`, because the superclass is.
final class TrailWatch: ProgressWatch, @unchecked Sendable {
  private(set) var trail = ProgressTrail()

  override func computeProgress(of promise: AnyPromise) -> Double { trail.update(from: promise, for: self) }

  override func unregister() { trail.unregister(self) }
}
