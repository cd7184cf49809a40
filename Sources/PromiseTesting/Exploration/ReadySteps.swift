/// The steps of which any may be next. They are divided into runs, and a run has its steps in the order in which they
/// were added. So a step is chosen without visiting all of them.
struct ReadySteps {
  enum Source {
    /// The context with this index.
    case context(Int)
    /// The next timer.
    case timer
    /// The event with this index, which may still wait until its deadline.
    case event(Int, deadline: UInt64)
    /// No step: the events that wait do not come now, and the time may move on.
    case later
  }

  struct Run {
    let source: Source
    var count = 1
    /// The tickets of the first and of the last step.
    let oldest: UInt64
    let newest: UInt64

    var isEvent: Bool { if case .event = source { true } else { false } }
  }

  struct Position {
    let run: Run
    let place: Int
  }

  private(set) var runs: [Run] = []
  private(set) var count = 0

  /// - Parameter run: has at least one step.
  mutating func append(_ run: Run) {
    runs.append(run)
    count += run.count
  }

  /// Precondition: there is a step.
  var oldest: Position {
    Position(run: runs.min { $0.oldest < $1.oldest } ?? runs[0], place: 0)
  }

  /// Precondition: there is a step.
  var newest: Position {
    let run = runs.max { $0.newest < $1.newest } ?? runs[0]
    return Position(run: run, place: run.count - 1)
  }

  /// Returns the position of a step in the order of the runs. Precondition: the index is below ``count``.
  func position(at index: Int) -> Position {
    var run = 0
    var place = index
    while place >= runs[run].count {
      place -= runs[run].count
      run += 1
    }
    return Position(run: runs[run], place: place)
  }

  /// Returns the position of a step in the order in which all steps were added.
  ///
  /// - Complexity: O(1) for the first; otherwise O(*n* log *n*), where *n* is the number of steps.
  func position(byAge index: Int, ticket: (Position) -> UInt64) -> Position {
    if index == 0 { return oldest }
    return (0..<count).map { position(at: $0) }.sorted { ticket($0) < ticket($1) }[index]
  }
}
