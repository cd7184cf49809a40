/// Who is shown the progress of one promise, in the order in which they came.
///
/// A few stand in a list and are looked for one by one, which takes no more than the list. Of more the places are noted, so that each
/// comes and goes in the time of a few steps, however many they are: who goes leaves a gap there, and when more than half
/// are gaps the others close up.
///
/// Belongs to one `ProgressState`, and is not copied.
enum ProgressSinks {
  case few([ProgressSink])
  case many(Crowd)

  init() { self = .few([]) }

  private static let mostFew = 16

  /// To be shown something, in order. What stands in a gap does nothing.
  var places: [ProgressSink] {
    switch self {
    case .few(let sinks): sinks
    case .many(let crowd): crowd.places
    }
  }

  var isEmpty: Bool {
    switch self {
    case .few(let sinks): sinks.isEmpty
    case .many(let crowd): crowd.isEmpty
    }
  }

  /// Once: who is there already keeps its place.
  mutating func add(_ sink: ProgressSink) {
    switch self {
    case .few(var sinks):
      guard !sinks.contains(where: { $0 === sink }) else { return }
      // Ours alone now: it is not copied.
      self = .few([])
      sinks.append(sink)
      self = sinks.count <= Self.mostFew ? .few(sinks) : .many(Crowd(sinks))
    case .many(let crowd): crowd.add(sink)
    }
  }

  /// Takes the sink out, so that the caller releases it.
  mutating func remove(_ sink: ProgressSink) -> ProgressSink? {
    switch self {
    case .few(var sinks):
      guard let index = sinks.firstIndex(where: { $0 === sink }) else { return nil }
      self = .few([])
      defer { self = .few(sinks) }
      return sinks.remove(at: index)
    case .many(let crowd):
      defer {
        // So seldom that it costs each who has gone a few steps.
        if crowd.gaps > max(crowd.count, Self.mostFew) {
          let sinks = crowd.closedUp
          self = sinks.count <= Self.mostFew / 2 ? .few(sinks) : .many(Crowd(sinks))
        }
      }
      return crowd.remove(sink)
    }
  }
}

extension ProgressSinks {
  /// Many. Touched under the lock of the side table.
  final class Crowd {
    private(set) var places: [ProgressSink]
    private var indices: [ObjectIdentifier: Int]

    private static let gap = ProgressSink()

    /// Each of them is there once.
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
