/// The progress of one promise. It is part of the side table, and accessed under the lock of the promise.
///
/// Invariant: `shown` never falls (rule 5.1). It is the highest value that was reported, passed to an observer, or
/// read. It is only changed by `raise` and `end`, which return the audience to be told.
struct ProgressState {
  /// A value from 0 to 1. A value that was never read or observed is not stored here, but computed by
  /// `AnyPromise.tracedProgress`.
  private(set) var shown = 0.0
  /// Whether the promise is settled. Then nothing changes any more.
  private(set) var isEnded = false
  /// The sinks, in the order in which they were added.
  private var sinks = ProgressSinks()
  /// Keeps `shown` up to date with what this promise waits for, while the promise is observed.
  private var watch: ProgressWatch?
  /// The watches of other promises that depend on this promise. A watch removes itself when it need not be woken any
  /// more.
  private var watchers: [ObjectIdentifier: ProgressWatch] = [:]

  /// The sinks and watches to be told of a change after the lock is released.
  struct Audience {
    /// In order. Some may do nothing.
    let sinks: [ProgressSink]
    let watches: [ProgressWatch]

    /// Passes the last value of a settled promise on.
    func end(_ promise: AnyPromise) {
      let last = promise.progress
      for sink in sinks {
        sink.offer(last, isLast: !promise.relaxedState.isRejected)
        sink.end()
      }
      ProgressWatch.wake(watches)
    }
  }

  /// Raises the progress. Returns `nil` if the value is not above the present value, or if the promise is settled.
  mutating func raise(to value: Double) -> Audience? {
    guard !isEnded, value > shown else { return nil }
    shown = value
    return Audience(sinks: sinks.places, watches: dependentWatches)
  }

  /// Ends the progress, because the promise is settled (rule 5.2). Returns all sinks and watches, or `nil` if there are
  /// none.
  mutating func end(isFulfilled: Bool) -> Audience? {
    assert(!isEnded, "Progress has ended twice.")
    isEnded = true
    if isFulfilled { shown = 1 }
    if sinks.isEmpty, watch == nil, watchers.isEmpty { return nil }
    defer {
      sinks = ProgressSinks()
      watch = nil
      watchers = [:]
    }
    return Audience(sinks: sinks.places, watches: allWatches)
  }

  // MARK: Registering

  /// Adds a sink. Returns `false` if the promise is settled.
  mutating func add(_ sink: ProgressSink) -> Bool {
    if !isEnded { sinks.add(sink) }
    return !isEnded
  }

  /// Removes and returns a sink, so that the caller releases it outside the lock.
  mutating func remove(_ sink: ProgressSink) -> ProgressSink? { sinks.remove(sink) }

  /// Whether a watch keeps `shown` up to date, so that other watches need not look further.
  var isWatched: Bool { watch != nil }

  /// Whether this promise has observers of its progress.
  var isObserved: Bool { !sinks.isEmpty }

  mutating func add(_ watcher: ProgressWatch) {
    if !isEnded { watchers[ObjectIdentifier(watcher)] = watcher }
  }

  mutating func remove(_ watcher: ProgressWatch) -> ProgressWatch? {
    watchers.removeValue(forKey: ObjectIdentifier(watcher))
  }

  /// Returns all watches that must look again because the promise has come to wait for another, including its own
  /// watch.
  ///
  /// If several watches would continue from here, the promise gets a watch of its own, at which the others stop.
  mutating func watches(of promise: AnyPromise) -> [ProgressWatch] {
    if isObserved || watchers.count > 1 { _ = beginWatching(promise) }
    return allWatches
  }

  /// Gives the promise a watch. Returns the watches that must look again, which are none if it had a watch before.
  mutating func beginWatching(_ promise: AnyPromise) -> [ProgressWatch] {
    if isEnded || watch != nil { return [] }
    watch = TrailWatch(of: promise)
    return allWatches
  }

  /// The watches of other promises that depend on this promise.
  var dependentWatches: [ProgressWatch] { Array(watchers.values) }

  private var allWatches: [ProgressWatch] {
    var all = Array(watchers.values)
    if let watch { all.append(watch) }
    return all
  }
}

/// The sinks of one promise, in the order in which they were added.
///
/// Up to 16 sinks form a list, which is searched. More sinks also have a dictionary of their positions, so that adding
/// and removing one takes constant time, amortised. Removing a sink leaves a gap. When more than half of the positions
/// are gaps, the sinks are moved together.
///
/// Belongs to one `ProgressState`, and is never copied.
enum ProgressSinks {
  case few([ProgressSink])
  case many(IndexedSinks)

  init() { self = .few([]) }

  private static let mostFew = 16

  /// The sinks in order, for a notification. A gap contains a sink that does nothing.
  var places: [ProgressSink] {
    switch self {
    case .few(let sinks): sinks
    case .many(let indexed): indexed.places
    }
  }

  var isEmpty: Bool {
    switch self {
    case .few(let sinks): sinks.isEmpty
    case .many(let indexed): indexed.isEmpty
    }
  }

  /// Adds a sink. A sink that was added before keeps its position.
  mutating func add(_ sink: ProgressSink) {
    switch self {
    case .few(var sinks):
      guard !sinks.contains(where: { $0 === sink }) else { return }
      // Now this array is the only reference to its storage, so the append does not copy it.
      self = .few([])
      sinks.append(sink)
      self = sinks.count <= Self.mostFew ? .few(sinks) : .many(IndexedSinks(sinks))
    case .many(let indexed): indexed.add(sink)
    }
  }

  /// Removes and returns a sink, so that the caller releases it outside the lock.
  mutating func remove(_ sink: ProgressSink) -> ProgressSink? {
    switch self {
    case .few(var sinks):
      guard let index = sinks.firstIndex(where: { $0 === sink }) else { return nil }
      self = .few([])
      defer { self = .few(sinks) }
      return sinks.remove(at: index)
    case .many(let indexed):
      defer {
        // So rarely that the cost for each removed sink is constant, amortised.
        if indexed.gaps > max(indexed.count, Self.mostFew) {
          let sinks = indexed.closedUp
          self = sinks.count <= Self.mostFew / 2 ? .few(sinks) : .many(IndexedSinks(sinks))
        }
      }
      return indexed.remove(sink)
    }
  }
}

extension ProgressSinks {
  /// A large number of sinks. Accessed under the lock of the promise.
  final class IndexedSinks {
    private(set) var places: [ProgressSink]
    private var indices: [ObjectIdentifier: Int]

    private static let gap = ProgressSink()

    /// Creates the collection from distinct sinks.
    init(_ sinks: [ProgressSink]) {
      places = sinks
      indices = Dictionary(uniqueKeysWithValues: sinks.enumerated().map { (ObjectIdentifier($1), $0) })
    }

    var count: Int { indices.count }
    var isEmpty: Bool { indices.isEmpty }
    var gaps: Int { places.count - indices.count }
    var closedUp: [ProgressSink] { places.filter { $0 !== Self.gap } }

    func add(_ sink: ProgressSink) {
      let id = ObjectIdentifier(sink)
      guard indices[id] == nil else { return }
      indices[id] = places.count
      places.append(sink)
    }

    func remove(_ sink: ProgressSink) -> ProgressSink? {
      guard let index = indices.removeValue(forKey: ObjectIdentifier(sink)) else { return nil }
      defer { places[index] = Self.gap }
      return places[index]
    }
  }
}
