/// One run of a handler.
struct HandlerRun {
  let id: Recording.ID
  let context: String
  let thread: Int
  /// The time from which the handler waited for its context, in nanoseconds. `nil` if that is not known.
  let queued: Int?
  /// The beginning, in nanoseconds.
  let begin: Int
  /// The end, in nanoseconds. Handlers that have not returned end with the recording.
  var end: Int
  /// Runs of a context that overlap have different lanes, which count from 0.
  let lane: Int
}

/// Finds the runs of a recording's handlers. Runs of one thread nest, and so do those of one lane.
struct HandlerRuns {
  private(set) var all: [HandlerRun] = []
  /// The runs that have not returned, for each thread. A handler that runs inside another has a higher index.
  private var open: [Int: [Int]] = [:]
  /// The runs that have not returned, for each lane of each context.
  private var lanes: [String: [[Int]]] = [:]

  /// The number of lanes of each context.
  var laneCounts: [String: Int] { lanes.mapValues(\.count) }

  mutating func begin(
    _ id: Recording.ID, context: String, thread: Int, queued: Int?, at time: Int, endOfRecording: Int
  ) {
    let lane = freeLane(of: context, thread: thread)
    open[thread, default: []].append(all.count)
    lanes[context]?[lane].append(all.count)
    all.append(
      HandlerRun(
        id: id, context: context, thread: thread, queued: queued, begin: time, end: max(time, endOfRecording),
        lane: lane))
  }

  /// Ends the last run of the handler on the thread on which it began, or does nothing if its beginning was not recorded.
  ///
  /// Runs inside it end too: a recording with dropped events may lack their ends.
  mutating func end(_ id: Recording.ID, thread: Int, at time: Int) {
    // An asynchronous handler may return on another thread.
    let place = position(of: id, on: thread) ?? open.keys.sorted().compactMap { position(of: id, on: $0) }.first
    guard let (thread, first) = place, let ended = open[thread]?[first...] else { return }
    for run in ended.reversed() {
      all[run].end = time
      let (context, lane) = (all[run].context, all[run].lane)
      lanes[context]?[lane].removeAll { $0 == run }
    }
    open[thread]?.removeSubrange(first...)
  }

  private func position(of id: Recording.ID, on thread: Int) -> (Int, Int)? {
    open[thread]?.lastIndex { all[$0].id == id }.map { (thread, $0) }
  }

  /// The first lane whose innermost open run is on the same thread, else the first with no open run, else a new one.
  private mutating func freeLane(of context: String, thread: Int) -> Int {
    let used = lanes[context] ?? []
    if let nested = used.firstIndex(where: { $0.last.map { all[$0].thread } == thread }) { return nested }
    if let free = used.firstIndex(where: \.isEmpty) { return free }
    lanes[context, default: []].append([])
    return used.count
  }
}
