/// The steps of which any may be next. They are divided into runs, and a run has its steps in the order in which they
/// were added. So a step is chosen without visiting all of them.
struct ReadySteps {
  struct Run {
    /// The index of the context on which the steps wait, or `nil` for the next timer.
    let contextQueue: Int?
    let count: Int
    /// The tickets of the first and of the last step.
    let oldest: UInt64
    let newest: UInt64
  }

  struct Position {
    let run: Int
    let place: Int
  }

  private(set) var runs: [Run] = []
  private(set) var count = 0

  /// - Parameter run: has at least one step.
  mutating func append(_ run: Run) {
    runs.append(run)
    count += run.count
  }

  var oldest: Position {
    Position(run: runs.indices.min { runs[$0].oldest < runs[$1].oldest } ?? 0, place: 0)
  }

  var newest: Position {
    let run = runs.indices.max { runs[$0].newest < runs[$1].newest } ?? 0
    return Position(run: run, place: runs[run].count - 1)
  }

  /// Returns the position of a step in the order of the runs. Precondition: the index is below ``count``.
  func position(at index: Int) -> Position {
    var (run, place) = (0, index)
    while place >= runs[run].count {
      place -= runs[run].count
      run += 1
    }
    return Position(run: run, place: place)
  }

  /// Returns the position of a step in the order in which all steps were added.
  ///
  /// - Complexity: O(1) for the first; otherwise O(*n* log *n*), where *n* is the number of steps.
  func position(byAge index: Int, ticket: (Position) -> UInt64) -> Position {
    if index == 0 { return oldest }
    return (0..<count).map { position(at: $0) }.sorted { ticket($0) < ticket($1) }[index]
  }
}
