import PromiseCore

/// Writes a recording in the Trace Event Format.
struct TraceWriter {
  private var json = JSONText()
  private let contents: TraceContents
  private var tracks: TraceTracks
  private var nextRun = 0
  /// The gates for whose places promises wait.
  private var awaitedGates: [Recording.ID: String] = [:]
  /// The names of the slices that have begun after a settlement.
  private var later: [LaterSlice: String] = [:]

  /// A slice that a promise has besides the time in which it is pending. Each kind has a category of its own, because
  /// slices of one category and promise nest.
  private struct LaterSlice: Hashable {
    enum Kind: String {
      /// The time in which a settled promise has not finished.
      case unfinished
      /// The time in which an operation has its place in a gate.
      case gate
    }

    let kind: Kind
    let id: Recording.ID
  }

  /// The whole trace.
  var text: String { json.string }

  init(_ recording: Recording) {
    contents = TraceContents(recording)
    tracks = TraceTracks(contents)
    json.append(raw: "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n")
    for track in tracks.all { write(track) }
    write(recording.causes, recording.waiters)
    for id in contents.older { writeSlice(.begin, id, at: 0) }
    for id in contents.settledBefore.sorted() { beginUnfinished(id, at: 0) }
    for (index, event) in recording.events.enumerated() { write(event, at: index) }
    for id in contents.pending { writeSlice(.end, id, at: contents.end) { $0.append("outcome", "pending") } }
    for slice in later.keys.sorted(by: { ($0.id, $0.kind.rawValue) < ($1.id, $1.kind.rawValue) }) {
      end(slice, at: contents.end)
    }
    // Every event ends with a comma, which JSON does not allow after the last one.
    json.append(raw: "{\"name\":\"recording\",\"ph\":\"M\",\"ts\":0,\"pid\":1,\"tid\":0,\"args\":{\"dropped\":")
    json.append(recording.droppedCount)
    json.append(raw: "}}\n]}\n")
  }

  private mutating func write(_ track: TraceTracks.Description) {
    open(track.kind, "M", at: 0, on: track.place)
    json.append(raw: ",\"args\":{\"name\":")
    json.append(quoted: track.name)
    json.append(raw: "}},\n")
  }

  /// Writes a slice for each cause, from the time when the first promise that waits for it was made.
  private mutating func write(_ causes: WaitCauses, _ waiters: [[Recording.ID]]) {
    for (index, cause) in causes.enumerated() {
      let starts = waiters[index].map { contents.starts[$0] ?? 0 }
      let count = cause.promiseCount == 1 ? "1 waits: " : "\(cause.promiseCount) wait: "
      let name = count + cause.summary.start(120 - count.count)
      for (edge, time) in [(Edge.begin, starts.min() ?? 0), (.end, contents.end)] {
        open(name, edge.rawValue, at: time, on: tracks.causes)
        json.append("cat", "cause of waits")
        json.append("id", "0x" + String(index + 1, radix: 16))
        json.append(raw: ",\"args\":{\"promises\":")
        json.append(cause.promiseCount)
        json.append("cause", cause.summary + cause.times)
        if let first = waiters[index].first { json.append(raw: ",\"promise\":\(first)") }
        json.append(raw: "}},\n")
      }
    }
  }

  private mutating func write(_ event: Recording.Event, at index: Int) {
    let time = contents.times[index]
    let id = event.kind.id
    switch event.kind {
    case .created(let creation):
      guard !creation.isObserver, !contents.settledBefore.contains(id) else { return }
      writeSlice(.begin, id, at: time) { [contents] json in
        if let label = contents.labels[id] { json.append("label", label) }
        json.append("type", creation.type)
        json.append("site", creation.createdAt.description)
      }
    case .settled(_, let outcome, let text):
      let details = { (json: inout JSONText) in
        json.append("outcome", outcome.name)
        if let text { json.append("text", text) }
      }
      writeSlice(.end, id, at: time, details)
      writeSettlement(of: id, index, on: event.thread, details)
      if outcome == .fulfilled, let gate = awaitedGates[id] { begin(LaterSlice(kind: .gate, id: id), gate, at: time) }
    case .began: writeRun(index)
    case .cancelled(_, let reason, let upstream):
      writeInstant("cancelled", id, time) { json in
        json.append("reason", reason)
        json.append("upstream", upstream ? "true" : "false")
      }
    case .adopted(_, let other):
      let name = contents.name(of: other)
      let site = contents.creations[other]?.createdAt.description ?? ""
      writeInstant("adopted", id, time) { json in
        json.append("adopted", name)
        json.append(raw: ",\"of\":\(other)")
        json.append("site", site)
      }
    case .labeled(_, let label): writeInstant("labeled", id, time) { $0.append("label", label) }
    case .waits(_, let text, let gate):
      writeInstant("waits", id, time) { $0.append("text", text) }
      if gate != nil { awaitedGates[id] = text }
    case .awaitsFinish(_, let other):
      let name = contents.name(of: other)
      writeInstant("waits", id, time) { $0.append("text", "the finish of " + name) }
    case .unfinished: beginUnfinished(id, at: time)
    case .finished: end(LaterSlice(kind: .unfinished, id: id), at: time)
    case .left:
      awaitedGates[id] = nil
      end(LaterSlice(kind: .gate, id: id), at: time)
    case .returned: return
    }
  }

  private enum Edge: String {
    case begin = "b"
    case end = "e"
  }

  /// Writes the beginning or the end of the time in which a promise is pending.
  private mutating func writeSlice(
    _ edge: Edge, _ id: Recording.ID, at time: Int, _ details: (inout JSONText) -> Void = { _ in }
  ) {
    open(contents.name(of: id), edge.rawValue, at: time, on: tracks.promises)
    close(id, category: "promise", details)
  }

  private mutating func beginUnfinished(_ id: Recording.ID, at time: Int) {
    begin(LaterSlice(kind: .unfinished, id: id), contents.name(of: id, after: "unfinished "), at: time)
  }

  private mutating func begin(_ slice: LaterSlice, _ name: String, at time: Int) {
    let name = String(name.start(120))
    if later.updateValue(name, forKey: slice) == nil { write(.begin, slice, name, at: time) }
  }

  /// Does nothing if the beginning was not recorded.
  private mutating func end(_ slice: LaterSlice, at time: Int) {
    if let name = later.removeValue(forKey: slice) { write(.end, slice, name, at: time) }
  }

  private mutating func write(_ edge: Edge, _ slice: LaterSlice, _ name: String, at time: Int) {
    open(name, edge.rawValue, at: time, on: tracks.promises)
    close(slice.id, category: slice.kind.rawValue) { _ in }
  }

  /// Writes something that happened to a promise while it was pending.
  private mutating func writeInstant(
    _ name: String, _ id: Recording.ID, _ time: Int, _ details: (inout JSONText) -> Void
  ) {
    open(name, "n", at: time, on: tracks.promises)
    close(id, category: "promise", details)
  }

  /// Writes a short slice on the thread's track, because an arrow needs a slice from which it starts.
  private mutating func writeSettlement(
    of id: Recording.ID, _ index: Int, on thread: Int, _ details: (inout JSONText) -> Void
  ) {
    let time = contents.times[index]
    let place = tracks.place(ofThread: thread)
    // Ends before the next event of any thread, so that it cannot overlap the end of a handler.
    let next = index + 1 < contents.times.count ? contents.times[index + 1] : contents.end
    open(contents.name(of: id, after: "settle "), "X", at: time, on: place)
    close(duration: min(next - time, 1000), id, details)
    for flow in contents.flowsFrom[index] ?? [] { writeFlow(flow, "s", at: time, on: place) }
  }

  /// Writes a run on the track of its thread, unless it is async, and on the track of its context.
  private mutating func writeRun(_ index: Int) {
    let run = contents.runs.all[nextRun]
    nextRun += 1
    let name = contents.name(of: run.id)
    let lane = tracks.place(ofContext: run.context, lane: run.lane)
    let thread = run.thread.map { tracks.place(ofThread: $0) }
    for place in [thread, lane].compactMap(\.self) {
      open(name, "X", at: run.begin, on: place)
      close(duration: run.end - run.begin, run.id) { [contents] json in
        json.append("context", run.context)
        if let thread = run.thread { json.append("thread", String(thread)) }
        if let site = contents.creations[run.id]?.createdAt { json.append("site", site.description) }
        guard let queued = run.queued else { return }
        json.append(raw: ",\"waited (µs)\":")
        json.append(microsecondsOf: run.begin - queued)
      }
    }
    if let flow = contents.flowTo[index] { writeFlow(flow, "f", at: run.begin, on: thread ?? lane) }
  }

  private mutating func writeFlow(_ flow: Int, _ phase: String, at time: Int, on place: TraceTracks.Place) {
    open("causes", phase, at: time, on: place)
    json.append(raw: phase == "f" ? ",\"bp\":\"e\",\"cat\":\"cause\",\"id\":" : ",\"cat\":\"cause\",\"id\":")
    json.append(flow)
    json.append(raw: "},\n")
  }

  /// Begins an event with the members that all events have.
  private mutating func open(_ name: String, _ phase: String, at time: Int, on place: TraceTracks.Place) {
    json.append(raw: "{\"name\":")
    json.append(quoted: name)
    json.append(raw: ",\"ph\":\"\(phase)\",\"pid\":\(place.process),\"tid\":\(place.thread),\"ts\":")
    json.append(microsecondsOf: time)
  }

  /// Ends an event of a promise with its category and its arguments.
  private mutating func close(_ id: Recording.ID, category: String, _ details: (inout JSONText) -> Void) {
    json.append("cat", category)
    json.append("id", "0x" + String(UInt(bitPattern: id), radix: 16))
    closeArguments(id, details)
  }

  /// Ends an event that has a duration in nanoseconds.
  private mutating func close(duration: Int, _ id: Recording.ID, _ details: (inout JSONText) -> Void) {
    json.append(raw: ",\"dur\":")
    json.append(microsecondsOf: duration)
    closeArguments(id, details)
  }

  private mutating func closeArguments(_ id: Recording.ID, _ details: (inout JSONText) -> Void) {
    json.append(raw: ",\"args\":{\"promise\":")
    json.append(id)
    details(&json)
    json.append(raw: "}},\n")
  }
}

extension Recording.Outcome {
  /// The outcome as a word.
  var name: String {
    switch self {
    case .fulfilled: "fulfilled"
    case .rejected: "rejected"
    case .cancelled: "cancelled"
    }
  }
}
