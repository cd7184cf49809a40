/// The progress of one promise. It is part of the side table, and accessed under the lock of the promise.
///
/// Invariant: `shown` never falls (rule 5.1). It is the highest value that was reported, passed to an observer, or
/// read. Only `raise` changes it. `raise` and `end` return the audience to be told.
struct ProgressState {
  /// A value from 0 to 1. A value that was never read or observed is not stored here, but computed by
  /// `AnyPromise.tracedProgress`.
  private(set) var shown = 0.0
  /// Whether the promise is settled. Then nothing changes any more.
  private(set) var isEnded = false
  /// The number of watches that were registered here so far.
  private var watcherCount: UInt32 = 0
  private var sinks: [ProgressSink] = []
  /// Keeps `shown` up to date with what this promise waits for, while the promise is observed.
  private(set) var watch: ProgressWatch?
  /// The watches of other promises that depend on this promise. A watch removes itself when it need not be woken any
  /// more.
  private var watchers: [ObjectIdentifier: Watcher] = [:]

  /// A registered watch. The numbers are in the order of registration.
  private struct Watcher {
    let number: UInt32
    let watch: ProgressWatch
  }

  /// The sinks and watches to be told of a change after the lock is released.
  struct Audience {
    let sinks: [ProgressSink]
    let watches: [ProgressWatch]

    /// Makes the sinks of a cancelled promise show nothing more, and releases nothing.
    func mute() {
      for sink in sinks { sink.mute() }
    }

    /// Passes the last value of a settled promise on. If the promise was cancelled, takes back what is under way.
    func end(_ promise: AnyPromise) {
      let last = promise.progress
      let state = promise.relaxedState
      for sink in sinks {
        if state.isCancelled, state.isEndedByCall { sink.takeBack() }
        sink.offer(last, of: promise, isSettled: true)
        sink.end()
      }
      ProgressWatch.wake(watches)
    }
  }

  /// Raises the progress. Returns `nil` if the value is not above the present value, or if the promise is settled.
  mutating func raise(to value: Double) -> Audience? {
    guard !isEnded, value > shown else { return nil }
    shown = value
    return Audience(sinks: sinks, watches: dependentWatches)
  }

  /// Ends the progress, because the promise is settled (rule 5.2). Returns all sinks and watches, or `nil` if there are
  /// none.
  mutating func end() -> Audience? {
    assert(!isEnded, "Progress has ended twice.")
    isEnded = true
    if sinks.isEmpty, watch == nil, watchers.isEmpty { return nil }
    defer {
      sinks = []
      watch = nil
      watchers = [:]
    }
    var watches = dependentWatches
    if let watch { watches.append(watch) }
    return Audience(sinks: sinks, watches: watches)
  }

  // MARK: Registering

  /// Adds a sink. Returns `false` if the promise is settled.
  mutating func add(_ sink: ProgressSink) -> Bool {
    if isEnded { return false }
    sink.index = sinks.count
    sinks.append(sink)
    return true
  }

  /// Removes and returns a sink, so that the caller releases it outside the lock. The last sink takes its place.
  mutating func remove(_ sink: ProgressSink) -> ProgressSink? {
    let index = sink.index
    guard index < sinks.count, sinks[index] === sink else { return nil }
    sinks.swapAt(index, sinks.count - 1)
    sinks[index].index = index
    return sinks.removeLast()
  }

  /// Whether this promise has observers of its progress.
  var isObserved: Bool { !sinks.isEmpty }

  /// Whether this promise must keep `shown` up to date, because something depends on it.
  var isWanted: Bool { isObserved || !watchers.isEmpty }

  mutating func add(_ watcher: ProgressWatch) {
    if isEnded { return }
    watchers[ObjectIdentifier(watcher)] = Watcher(number: watcherCount, watch: watcher)
    watcherCount &+= 1
  }

  mutating func remove(_ watcher: ProgressWatch) -> ProgressWatch? {
    watchers.removeValue(forKey: ObjectIdentifier(watcher))?.watch
  }

  /// Sets the watch that keeps `shown` up to date.
  mutating func becomeWatched(by watch: ProgressWatch) {
    assert(!isEnded && self.watch == nil, "A promise got a second watch of its progress.")
    self.watch = watch
  }

  /// The watches of other promises that depend on this promise, the newest first, because `ProgressWatch.wake` begins
  /// with the last one. The order is always the same, so that a schedule of a `TestWorld` can be repeated.
  var dependentWatches: [ProgressWatch] {
    var watches = watchers.values.sorted { $0.number > $1.number }.map(\.watch)
    for sink in sinks { if let watch = sink.watch { watches.append(watch) } }
    return watches
  }
}
