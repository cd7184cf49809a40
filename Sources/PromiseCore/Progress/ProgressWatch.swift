import Synchronization

/// Looks after the progress of one derived or following promise that somebody observes: it is told when something changes that the
/// promise waits for, and raises the promise's progress.
///
/// It is registered only where something can change: at the furthest promises that are still to be settled, and where one has
/// adopted another (`posts`). So a report at the top of a long chain goes straight to the observers at its end, and what lies
/// between is not visited. When a post is settled the next one is found from the *trail*, the promises between, of which the
/// nearest are remembered. A promise that is watched itself is not looked beyond.
///
/// It keeps no promise alive: a promise that is kept could not be dissolved, and a loop would not be flat (rule 3.3). It is
/// itself kept by the side tables of its promise and its posts.
///
/// One thread at a time works on it, without a lock: who comes meanwhile leaves a request and goes (`requests`).
final class ProgressWatch: @unchecked Sendable {
  // `@unchecked`: the trail belongs to the thread that has raised `requests` from 0.
  private let requests = Atomic<Int>(0)
  private weak let promise: AnyPromise?
  private var trail = ProgressTrail()

  init(of promise: AnyPromise) { self.promise = promise }

  /// Makes the watches look again, and those that must look again for it. A loop, however many they are.
  static func wake(_ watches: consuming [ProgressWatch]) {
    var waiting = watches
    while let watch = waiting.popLast() { waiting += watch.work() }
  }

  /// Returns who must look again because of what was found.
  private func work() -> [ProgressWatch] {
    // Acquiring and releasing: what the caller has changed is seen by whoever works, and the trail goes from one to the next.
    guard requests.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return [] }
    var others: [ProgressWatch] = []
    var handled = 1
    while true {
      others += look()
      let (isIdle, found) = requests.compareExchange(expected: handled, desired: 0, ordering: .acquiringAndReleasing)
      if isIdle { return others }
      handled = found
    }
  }

  private func look() -> [ProgressWatch] {
    guard let promise, !promise.isProgressOver else {
      trail.leave(self)
      return []
    }
    let value = trail.follow(from: promise, for: self)
    return value > 0 ? promise.raiseProgress(to: value)?.watches ?? [] : []
  }
}
