import Synchronization

/// Looks after the progress of one promise that somebody observes: it is told when something changes that the promise
/// waits for, and raises the promise's progress.
///
/// It keeps no promise alive: a promise that is kept could not be collapsed, and a loop would not be flat (rule 3.3). It is
/// itself kept by the side tables where it is registered.
///
/// One thread at a time works on it, without a lock: who comes meanwhile leaves a request and goes (`requests`).
class ProgressWatch: @unchecked Sendable {
  // `@unchecked`: what subclasses store belongs to the thread that has raised `requests` from 0.
  private let requests = Atomic<Int>(0)
  private weak let promise: AnyPromise?

  init(of promise: AnyPromise) { self.promise = promise }

  /// Makes the watches look again, and those that must look again for it. A loop, however many they are. One that looks at
  /// many promises, which may have changed for one reason, looks once and after the others.
  static func wake(_ watches: consuming [ProgressWatch]) {
    var (waiting, late) = (watches, [] as [ProgressWatch])
    while true {
      while let watch = waiting.popLast() {
        for other in watch.work() {
          if other.looksAtMany { late.append(other) } else { waiting.append(other) }
        }
      }
      guard late.count > 1 else {
        if late.isEmpty { return }
        (waiting, late) = (late, [])
        continue
      }
      var seen: Set<ObjectIdentifier> = []
      waiting = late.filter { seen.insert(ObjectIdentifier($0)).inserted }
      late = []
    }
  }

  /// To look takes a time that grows with the number of promises that can wake this watch.
  var looksAtMany: Bool { false }

  /// Returns who must look again because of what was found.
  private func work() -> [ProgressWatch] {
    // Acquiring and releasing: what the caller has changed is seen by whoever works, and what is stored goes from one to the next.
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
    guard let promise, !promise.isProgressOver else {
      leave()
      return []
    }
    let value = look(for: promise)
    return value > 0 ? promise.raiseProgress(to: value)?.watches ?? [] : []
  }

  /// How far the promise has come by now.
  func look(for promise: AnyPromise) -> Double { 0 }

  /// The promise is settled, or has gone.
  func leave() {}
}

/// The watch of a derived or following promise.
///
/// It is registered only where something can change: at the furthest promises that are still to be settled, and where one has
/// adopted another (`posts`). So a report at the top of a long chain goes straight to the observers at its end, and what lies
/// between is not visited. When a post is settled the next one is found from the *trail*, the promises between, of which the
/// nearest are remembered. A promise that is watched itself is not looked beyond.
final class TrailWatch: ProgressWatch, @unchecked Sendable {
  private var trail = ProgressTrail()

  override func look(for promise: AnyPromise) -> Double { trail.follow(from: promise, for: self) }

  override func leave() { trail.leave(self) }
}
