import PromiseCore

/// The newest events of a recorder.
///
/// The events are in blocks, so that an event which is added while a copy of the log is read copies one block and not
/// all events.
struct EventLog: Sendable {
  private let capacity: Int
  private let blockSize: Int
  /// All blocks but the last one are full.
  private var blocks: [[Recording.Event]] = [[]]
  /// The number of events of the first block that count as dropped.
  private var firstIndex = 0
  private(set) var droppedCount = 0

  /// - Parameter capacity: the greatest number of events that count. A number below 1 counts as 1.
  init(capacity: Int) {
    self.capacity = max(1, capacity)
    blockSize = min(self.capacity, 1_000)
  }

  private var count: Int { (blocks.count - 1) * blockSize + blocks[blocks.count - 1].count - firstIndex }

  /// Adds an event, and drops the oldest one if there is no room.
  ///
  /// - Returns: dropped events, for the caller to release outside its lock. They are released block by block.
  mutating func append(_ event: Recording.Event) -> [Recording.Event]? {
    if blocks[blocks.count - 1].count == blockSize { blocks.append([]) }
    blocks[blocks.count - 1].append(event)
    guard count > capacity else { return nil }
    droppedCount += 1
    firstIndex += 1
    guard firstIndex == blockSize else { return nil }
    firstIndex = 0
    return blocks.removeFirst()
  }

  /// Sets the operator and the inputs of a combinator's result, which are known only after the result was made. Does
  /// nothing if the event of its creation was dropped.
  ///
  /// - Complexity: O(*n*), where *n* is the number of events since the result was made. These are few.
  mutating func combine(_ id: Recording.ID, operation: String, inputs: [Recording.ID]) {
    for block in blocks.indices.reversed() {
      for index in blocks[block].indices.reversed() {
        guard case .created(var creation) = blocks[block][index].kind, creation.id == id else { continue }
        (creation.operation, creation.sources) = (operation, inputs)
        blocks[block][index].kind = .created(creation)
        return
      }
    }
  }

  /// The events, the oldest first.
  var events: [Recording.Event] { Array(blocks.joined().dropFirst(firstIndex)) }
}

extension Recording {
  /// Creates the recording of a log.
  ///
  /// - Parameters:
  ///   - start: the time when the recorder was first on, on its clock.
  ///   - end: the time when the log was read.
  ///   - promises: the promises that are pending, or have not finished. Those whose creation was dropped get an event
  ///     for it at the beginning.
  init(_ log: EventLog, from start: Duration, to end: Duration, known promises: [EnrolledPromise]) {
    var events = log.events
    let beginning = (log.droppedCount > 0 ? events.first?.time : nil) ?? start
    for index in events.indices { events[index].time -= beginning }
    self.init(
      events: events, droppedCount: log.droppedCount, duration: max(end - beginning, events.last?.time ?? .zero))
    if log.droppedCount > 0 { addOlder(promises) }
  }

  private mutating func addOlder(_ promises: [EnrolledPromise]) {
    var made: Set<ID> = []
    for case .created(let creation) in events.map(\.kind) { made.insert(creation.id) }
    let thread = events.first?.thread ?? 1
    let older = promises.filter { !made.contains($0.number) }
    events = older.flatMap(\.beginnings).map { Event(time: .zero, thread: thread, kind: $0) } + events
    olderPending = older.filter(\.isPending).map(\.number)
    olderUnfinished = older.filter { !$0.isPending }.map(\.number)
  }
}

extension EnrolledPromise {
  /// The events of this promise that its list still knows.
  fileprivate var beginnings: [Recording.Event.Kind] {
    let creation = Recording.Creation(
      id: number, operation: origin.operation?.name ?? "promise", type: "", createdAt: origin.site)
    return [.created(creation)] + (origin.label.map { [.labeled(number, $0)] } ?? [])
  }
}
