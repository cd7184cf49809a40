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
