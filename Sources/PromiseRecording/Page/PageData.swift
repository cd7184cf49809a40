import PromiseCore

/// Writes the events of a recording as JSON, in script elements that a browser does not run.
///
/// An element contains at most a few hundred events or about 64 KB, so that the page can read it without a long task.
/// Strings are numbered: an element begins with the strings that it is the first to use.
struct PageData {
  private var json = JSONText()
  private var chunk = Chunk()
  /// The numbers of the strings. Long strings are not in it, because they hardly ever occur twice.
  private var numbers: [String: Int] = [:]
  private var stringCount = 0
  /// The time of the last event in nanoseconds.
  private var lastTime = 0

  /// The elements.
  var html: String { json.string }

  init(_ recording: Recording, title: String) {
    writeDescription(of: recording, title: title)
    for event in recording.events {
      write(event, at: max(lastTime, event.time.wholeNanoseconds))
      if chunk.isFull { endChunk() }
    }
    endChunk()
  }

  private mutating func writeDescription(of recording: Recording, title: String) {
    json.append(raw: "<script type=\"application/json\" id=\"about\">{\"events\":\(recording.events.count)")
    json.append(raw: ",\"dropped\":\(recording.droppedCount),\"duration\":")
    json.append(max(recording.duration, recording.events.last?.time ?? .zero).wholeNanoseconds)
    json.append("title", title)
    append("released", recording.released)
    append("olderPending", recording.olderPending)
    append("olderUnfinished", recording.olderUnfinished)
    write(recording.causes, recording.waiters)
    json.append(raw: "}</script>\n")
  }

  private mutating func append(_ name: String, _ promises: [Recording.ID]) {
    json.append(raw: ",\"\(name)\":[\(promises.map(String.init).joined(separator: ","))]")
  }

  /// The page groups what waits for a cause. For more promises that would take long.
  private static let mostWaiters = 1000

  private mutating func write(_ causes: WaitCauses, _ waiters: [[Recording.ID]]) {
    json.append(raw: ",\"omitted\":\(causes.omittedCount),\"isComplete\":\(causes.isComplete),\"causes\":[")
    for (index, cause) in causes.enumerated() {
      json.append(raw: index == 0 ? "{\"count\":" : ",\n{\"count\":")
      json.append(cause.promiseCount)
      json.append("text", cause.summary + cause.times)
      let promises = waiters[index].prefix(Self.mostWaiters)
      json.append(raw: ",\"isGate\":\(cause.kind == .gate),\"areAll\":\(promises.count == waiters[index].count)")
      json.append(raw: ",\"promises\":[" + promises.map(String.init).joined(separator: ",") + "]}")
    }
    json.append(raw: "]")
  }

  /// Writes an event as an array: its kind, the nanoseconds since the event before it, its thread, its promise, and what
  /// the kind adds. Most of these times are short texts.
  private mutating func write(_ event: Recording.Event, at time: Int) {
    let values: [Int]
    switch event.kind {
    case .created(let creation):
      let names = [
        number(of: creation.operation), number(of: creation.type), number(of: creation.createdAt.description),
      ]
      values =
        [0] + names + [creation.isObserver ? 1 : 0, creation.context.isEmpty ? -1 : number(of: creation.context)]
        + creation.sources
    case .began(_, let context, let isAsync): values = [1, number(of: context), isAsync ? 1 : 0]
    case .returned: values = [2]
    case .settled(_, let outcome, let text): values = [3, outcome.number, text.map { number(of: $0) } ?? -1]
    case .cancelled(_, let reason, let upstream): values = [4, number(of: reason), upstream ? 1 : 0]
    case .adopted(_, let other): values = [5, other]
    case .labeled(_, let label): values = [6, number(of: label)]
    case .waits(_, let text, let gate): values = [7, number(of: text)] + (gate.map { [$0.id, $0.places] } ?? [])
    case .unfinished: values = [8]
    case .finished: values = [9]
    case .left: values = [10]
    case .awaitsFinish(_, let other): values = [11, other]
    }
    chunk.add([values[0], time - lastTime, event.thread, event.kind.id] + values.dropFirst())
    lastTime = time
  }

  /// The number of a string in the page's table.
  private mutating func number(of text: String) -> Int {
    let isShort = text.utf8.count <= 256
    if isShort, let known = numbers[text] { return known }
    if isShort { numbers[text] = stringCount }
    chunk.add(text)
    stringCount += 1
    return stringCount - 1
  }

  private mutating func endChunk() {
    guard !chunk.isEmpty else { return }
    json.append(raw: "<script type=\"application/json\" class=\"events\">{\"strings\":[")
    json.append(chunk.strings)
    json.append(raw: "],\"events\":[\n")
    json.append(chunk.events)
    json.append(raw: "]}</script>\n")
    chunk = Chunk()
  }
}

/// The contents of one element.
private struct Chunk {
  private(set) var strings = JSONText()
  private(set) var events = JSONText()
  private var count = 0

  var isEmpty: Bool { count == 0 }
  var isFull: Bool { count == 250 || strings.bytes.count + events.bytes.count > 65_536 }

  mutating func add(_ string: String) {
    if !strings.bytes.isEmpty { strings.append(raw: ",") }
    strings.append(quoted: string)
  }

  mutating func add(_ event: [Int]) {
    events.append(raw: count == 0 ? "[" : ",\n[")
    events.append(raw: event.map(String.init).joined(separator: ","))
    events.append(raw: "]")
    count += 1
  }
}

extension Recording.Outcome {
  /// The number that stands for the outcome in the page's data.
  fileprivate var number: Int {
    switch self {
    case .fulfilled: 0
    case .rejected: 1
    case .cancelled: 2
    }
  }
}
