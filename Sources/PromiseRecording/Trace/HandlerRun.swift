/// One run of a handler.
struct HandlerRun {
  let id: Recording.ID
  let context: String
  /// `nil` for an async handler, which may suspend and run on several threads.
  let thread: Int?
  /// The time from which the handler waited for its context, in nanoseconds. `nil` if that is not known.
  let queued: Int?
  /// The beginning, in nanoseconds.
  let begin: Int
  /// The end, in nanoseconds. Handlers that have not returned end with the recording.
  var end: Int
  /// Runs of a context that overlap have different lanes, which count from 0.
  let lane: Int
  /// Whether the run is inside another one of the same context, and so in the same lane.
  let isInner: Bool
}

/// Finds the runs of a recording's handlers. Runs of one thread nest, and so do those of one lane.
struct HandlerRuns {
  private(set) var all: [HandlerRun] = []
  /// The runs that have not returned. A handler that runs inside another has a higher index.
  private var open: [Place: [Int]] = [:]
  private var lanes: [String: Lanes] = [:]

  /// The place of runs that nest.
  private enum Place: Hashable {
    case thread(Int)
    /// The Task of an async handler, in which its run is alone.
    case task(of: Recording.ID)
  }

  private struct Lanes {
    var count = 0
    /// The lanes without a run that has not returned.
    var free: [Int] = []

    mutating func take() -> Int {
      if let lane = free.popLast() { return lane }
      defer { count += 1 }
      return count
    }
  }

  /// The number of lanes of each context.
  var laneCounts: [String: Int] { lanes.mapValues(\.count) }

  /// - Parameter thread: `nil` for an async handler.
  mutating func begin(
    _ id: Recording.ID, context: String, thread: Int?, queued: Int?, at time: Int, endOfRecording: Int
  ) {
    let place = thread.map { Place.thread($0) } ?? .task(of: id)
    let outer = open[place]?.last { all[$0].context == context }
    let lane = outer.map { all[$0].lane } ?? lanes[context, default: Lanes()].take()
    open[place, default: []].append(all.count)
    all.append(
      HandlerRun(
        id: id, context: context, thread: thread, queued: queued, begin: time, end: max(time, endOfRecording),
        lane: lane, isInner: outer != nil))
  }

  /// Ends the last run of the handler, or does nothing if its beginning was not recorded.
  ///
  /// Runs inside it end with it. Their ends are missing if they have exited their thread.
  mutating func end(_ id: Recording.ID, thread: Int, at time: Int) {
    let task = Place.task(of: id)
    let place = open[task] == nil ? .thread(thread) : task
    // Found from the end, where it usually is.
    guard open[place]?.last(where: { all[$0].id == id }) != nil else { return }
    while let run = open[place]?.popLast() {
      end(run, at: time)
      if all[run].id == id { break }
    }
    open[task] = nil
  }

  private mutating func end(_ run: Int, at time: Int) {
    all[run].end = time
    if !all[run].isInner { lanes[all[run].context]?.free.append(all[run].lane) }
  }
}
