import PromiseCore

/// The facts about a recording that a trace needs before it writes the first event.
struct TraceContents {
  /// The time of each event in nanoseconds. Invariant: no time is less than the one before it.
  private(set) var times: [Int] = []
  /// The end of the recording in nanoseconds.
  let end: Int
  private(set) var creations: [Recording.ID: Recording.Creation] = [:]
  private(set) var labels: [Recording.ID: String] = [:]
  /// The places in gates for which promises wait, as in "place in the ConcurrencyLimit …".
  private var places: [Recording.ID: String] = [:]
  /// The times when promises were made, in nanoseconds.
  private(set) var starts: [Recording.ID: Int] = [:]
  /// The promises that were settled, but whose creation was not recorded.
  private(set) var older: [Recording.ID] = []
  /// The promises that were settled before the oldest event, and have not finished.
  private(set) var settledBefore: Set<Recording.ID> = []
  /// The promises that were not settled, in the order of their creation.
  private(set) var pending: [Recording.ID] = []
  private(set) var runs = HandlerRuns()
  /// The numbers of the flows that start at an event, which is a settlement.
  private(set) var flowsFrom: [Int: [Int]] = [:]
  /// The number of the flow that ends at an event, which is the beginning of a handler.
  private(set) var flowTo: [Int: Int] = [:]
  /// The threads, in the order in which they first occur.
  private(set) var threads: [Int] = []

  /// O(*n*), where *n* is the number of events and sources.
  init(_ recording: Recording) {
    var time = 0
    for event in recording.events {
      time = max(time, event.time.wholeNanoseconds)
      times.append(time)
    }
    end = max(time, recording.duration.wholeNanoseconds)

    var knownThreads: Set<Int> = []
    // The indices of the events.
    var settlements: [Recording.ID: Int] = [:]
    var made: [Recording.ID: Int] = [:]
    for (index, event) in recording.events.enumerated() {
      if knownThreads.insert(event.thread).inserted { threads.append(event.thread) }
      let id = event.kind.id
      switch event.kind {
      case .created(let creation):
        (creations[id], made[id]) = (creation, index)
        starts[id] = times[index]
        if !creation.isObserver { pending.append(id) }
      case .labeled(_, let label): labels[id] = label
      case .settled:
        if creations[id] == nil { older.append(id) }
        settlements[id] = index
      case .began(_, let context, let isAsync):
        // The last of the sources to be settled caused the handler.
        let cause = creations[id]?.sources.compactMap { settlements[$0] }.max()
        let queued = cause.map { times[max($0, made[id] ?? 0)] }
        runs.begin(
          id, context: context, thread: isAsync ? nil : event.thread, queued: queued, at: times[index],
          endOfRecording: end)
        guard let cause else { continue }
        flowTo[index] = flowTo.count + 1
        flowsFrom[cause, default: []].append(flowTo.count)
      case .returned: runs.end(id, thread: event.thread, at: times[index])
      case .waits(_, let text, _): if text.hasPrefix("a place ") { places[id] = String(text.dropFirst(2)) }
      case .cancelled, .adopted, .unfinished, .finished, .left, .awaitsFinish: continue
      }
    }
    settledBefore = Set(recording.olderUnfinished.filter { settlements[$0] == nil })
    pending.removeAll { settlements[$0] != nil || settledBefore.contains($0) }
    assert(zip(times, times.dropFirst()).allSatisfy(<=))
  }

  /// The operation and the label, after a word that says what happens. At most 120 characters.
  ///
  /// Takes no more of either than a name may have, because each event of a promise has the name.
  func name(of id: Recording.ID, after word: String = "") -> String {
    var name = word
    name += (places[id] ?? creations[id]?.operation)?.start(120) ?? "promise \(id)"
    if let label = labels[id] { name += " " + label.start(120) }
    let start = name.start(120)
    return start.endIndex == name.endIndex ? name : start.dropLast() + "…"
  }
}

extension Recording.Event.Kind {
  /// The promise, observer or hook to which it happened.
  var id: Recording.ID {
    switch self {
    case .created(let creation): creation.id
    case .began(let id, _, _), .returned(let id), .settled(let id, _, _), .cancelled(let id, _, _),
      .adopted(let id, _), .labeled(let id, _), .waits(let id, _, _), .unfinished(let id), .finished(let id),
      .left(let id), .awaitsFinish(let id, _):
      id
    }
  }
}
