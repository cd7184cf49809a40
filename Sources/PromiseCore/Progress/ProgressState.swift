/// The progress of one promise, in its side table: touched under the lock of that.
///
/// It never falls (rule 5.1): `shown` is the highest that was reported, told to an observer, or read. All changes go through
/// `raise` and `end`, which say who is to be told.
struct ProgressState {
  /// 0...1. What nobody has looked at is not here: it is computed, see `AnyPromise.tracedProgress`.
  private(set) var shown = 0.0
  /// The promise is settled, or about to be: nothing changes any more.
  private(set) var isEnded = false
  /// In the order of their registration.
  private var sinks = ProgressSinks()
  /// Looks after what this promise waits for, as long as somebody observes it.
  private var watch: ProgressWatch?
  /// Those of other promises that are to be told when this one changes. A watch leaves when it no longer needs to be told.
  private var watchers: [ObjectIdentifier: ProgressWatch] = [:]
  /// What the chain weighs, where the word of the promise has no room for it.
  var weight = 1.0

  /// Who is to be told of a change, once the lock is free.
  struct Audience {
    /// In order. Between them may be some that do nothing.
    let sinks: [ProgressSink]
    let watches: [ProgressWatch]
  }

  /// `nil`: the value is not above the present one, or the promise is settled.
  mutating func raise(to value: Double) -> Audience? {
    guard !isEnded, value > shown else { return nil }
    shown = value
    return Audience(sinks: sinks.places, watches: standingWatches)
  }

  /// Hands everybody out, for the first who asks.
  mutating func end(at value: Double) -> Audience? {
    guard !isEnded else { return nil }
    isEnded = true
    shown = max(shown, value)
    defer {
      sinks = ProgressSinks()
      watch = nil
      watchers = [:]
    }
    return Audience(sinks: sinks.places, watches: allWatches)
  }

  // MARK: Registering

  /// `false`: the promise is settled.
  mutating func add(_ sink: ProgressSink) -> Bool {
    if !isEnded { sinks.add(sink) }
    return !isEnded
  }

  /// Takes the sink out, so that the caller releases it.
  mutating func remove(_ sink: ProgressSink) -> ProgressSink? { sinks.remove(sink) }

  /// The watch keeps `shown` up to date, so that others need not look further.
  var isWatched: Bool { watch != nil }

  /// Somebody observes this promise.
  var isObserved: Bool { !sinks.isEmpty }

  mutating func add(_ watcher: ProgressWatch) {
    if !isEnded { watchers[ObjectIdentifier(watcher)] = watcher }
  }

  mutating func remove(_ watcher: ProgressWatch) -> ProgressWatch? {
    watchers.removeValue(forKey: ObjectIdentifier(watcher))
  }

  /// The promise has come to wait for another: everybody who must look again, its own watch included.
  ///
  /// Where several would go on from here a watch goes instead of them.
  mutating func watches(of promise: AnyPromise) -> [ProgressWatch] {
    if isObserved || watchers.count > 1 { _ = beginWatching(promise) }
    return allWatches
  }

  /// From now on the promise has a watch. Who must look because of that; nobody, if it had one already.
  mutating func beginWatching(_ promise: AnyPromise) -> [ProgressWatch] {
    if isEnded || watch != nil { return [] }
    watch = TrailWatch(of: promise)
    return allWatches
  }

  /// Those of other promises.
  var standingWatches: [ProgressWatch] { Array(watchers.values) }

  private var allWatches: [ProgressWatch] {
    var all = Array(watchers.values)
    if let watch { all.append(watch) }
    return all
  }
}
