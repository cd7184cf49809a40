internal import CPromiseSystem
package import PromiseCore

/// Records what the promises of a program do, for a ``Recording``.
///
/// ```swift
/// let recorder = Recorder()
/// recorder.start()
/// // … the part of the program that is of interest …
/// let recording = recorder.stop()
/// try recording.page(title: "Start of the shop").write(to: file, atomically: true, encoding: .utf8)
/// ```
///
/// Only promises that are made while the recorder is on are recorded, and they are recorded until they have finished.
/// The recorder keeps the newest events and counts the others. It may be used on any thread.
///
/// Before a recorder is first on, a promise costs nothing for it. While one is on, each promise has three more objects,
/// and each event costs a lock of a few instructions. No lock is held while a handler runs.
public final class Recorder: @unchecked Sendable {
  // `@unchecked Sendable`, because the variables are used under the lock only. Events are released outside it.
  private let lock = ShortLock()
  private var log: EventLog
  /// The time on the clock when this was first on.
  private var beginning: Duration?
  private var lastNumber = 0
  /// The numbers of the gates. Bounded like the events.
  private var gates: [ObjectIdentifier: Int] = [:]
  /// The numbers of the threads.
  private var threads: [UInt: Int] = [:]

  /// Not under the lock, because it has locks of its own.
  private let table = PendingTable()
  package var pending: any PendingList { table }

  private let capacity: Int
  private let describesValues: Bool
  private let clock: @Sendable () -> Duration

  /// Creates a recorder that is off.
  ///
  /// - Parameters:
  ///   - capacity: the greatest number of events that are kept. A number below 1 counts as 1. An event takes 104
  ///     bytes and the texts that belong to it.
  ///   - describesValues: whether the values of fulfilled promises are recorded as text. Their `description` is then
  ///     called by the thread that settles the promise, inside that call. Errors are always described, there too.
  public convenience init(capacity: Int = 100_000, describesValues: Bool = false) {
    let origin = ContinuousClock.now
    self.init(capacity: capacity, describesValues: describesValues) { origin.duration(to: .now) }
  }

  /// Creates a recorder whose events have the times of a clock.
  package init(capacity: Int, describesValues: Bool, clock: @escaping @Sendable () -> Duration) {
    log = EventLog(capacity: capacity)
    self.capacity = max(1, capacity)
    self.describesValues = describesValues
    self.clock = clock
  }

  /// Records all promises that are made from now on, instead of the recorder that was on before.
  public func start() {
    noteStart()
    Diagnostics.setRecorder(self)
  }

  /// Records no further promises, and returns what was recorded. Does nothing to another recorder that is on.
  ///
  /// Promises that were recorded are recorded until they have finished. ``recording`` returns their later events, too.
  @discardableResult
  public func stop() -> Recording {
    Diagnostics.removeRecorder(self)
    return recording
  }

  /// Records only the promises that are made in the closure, by Tasks that it creates, and by their handlers, as
  /// ``/PromiseCore/Diagnostics/scoped(unhandledRejection:secondSettlement:unstoppedWork:_:)-55re6`` defines it. So
  /// several parts of a program can be recorded apart.
  public func record<Result>(_ body: () throws -> Result) rethrows -> Result {
    noteStart()
    return try DiagnosticsScope(recorder: self).bind(body)
  }

  /// Records only the promises that are made in an async closure. Otherwise as the method for ordinary closures.
  public nonisolated(nonsending) func record<Result>(
    _ body: nonisolated(nonsending) () async throws -> Result
  ) async rethrows -> Result {
    noteStart()
    return try await DiagnosticsScope(recorder: self).bind(body)
  }

  /// Notes that this is on from now on, unless it was before.
  package func noteStart() {
    let now = clock()
    lock.locked { beginning = beginning ?? now }
  }

  /// The events that were recorded so far, and the causes of what is pending now.
  ///
  /// If older events were dropped, the recording begins with the oldest event that was kept. Promises that were made
  /// before it, and are still pending or have not finished, are then shown from that time on.
  ///
  /// - Complexity: O(*n*), where *n* is the number of events, and of pending promises and the waits between them.
  public var recording: Recording {
    let now = clock()
    let (log, beginning, lastNumber) = lock.locked { (self.log, self.beginning, self.lastNumber) }
    let promises = table.promises
    // Some promises may have been made since then.
    var recording = Recording(log, from: beginning ?? now, to: now, known: promises.filter { $0.number <= lastNumber })
    endReading(log)
    (recording.causes, recording.waiters) = Diagnostics.causes(of: promises)
    recording = recording.addingEndsOfBypassed()
    let listed = table.numbers
    let unlisted = recording.pending.filter { !listed.contains($0) }
    if !unlisted.isEmpty {
      // Those that were settled before the list was read have a later event.
      let later = lock.locked { self.log }
      let settled = Set(later.events.compactMap(\.kind.settled))
      endReading(later)
      recording.released = unlisted.filter { !settled.contains($0) }
    }
    return recording
  }

  /// Ends the reading of a copy of the log.
  ///
  /// Without its copy, the next event is added in place. ThreadSanitizer does not see the count of references that lets
  /// it, and would report a race with the reads. It sees the lock.
  private func endReading(_ copy: EventLog) {
    withExtendedLifetime(copy) { lock.locked {} }
  }
}

extension Recorder: PromiseRecorder {
  package func nextNumber() -> Int {
    lock.locked {
      lastNumber += 1
      return lastNumber
    }
  }

  package func record(_ event: RecordedEvent, of number: Int) {
    if case .combines(let operation, let inputs) = event {
      let inputs = inputs.compactMap { $0.number(in: self) }
      return lock.locked { log.combine(number, operation: operation.name, inputs: inputs) }
    }
    if let kind = kind(of: event, number) { append(kind) }
  }

  private func kind(of event: RecordedEvent, _ number: Int) -> Recording.Event.Kind? {
    switch event {
    case .made(let promise, let source, let context): .created(creation(promise, number, from: source, on: context))
    case .began(let context, let isAsync): .began(number, context: context, isAsync: isAsync)
    case .returned: .returned(number)
    case .settled(let promise):
      .settled(number, outcome(of: promise), text: promise.recordedText(describingValue: describesValues))
    case .cancelled(let reason, let upstream):
      .cancelled(number, reason: oneLine(reason), upstream: upstream)
    case .waitsFor(let promise):
      promise.number(in: self).map { .adopted(number, adopted: $0) }
    case .waitsForFinish(let promise):
      promise.number(in: self).map { .awaitsFinish(number, of: $0) }
    case .combines: nil
    case .waitsForResource(let resource, let promise):
      .waits(number, text: resource.name(for: promise), gate: gate(resource))
    case .unfinished: .unfinished(number)
    case .finished: .finished(number)
    case .leftGate: .left(number)
    case .labeled(let label): .labeled(number, label)
    }
  }

  private func gate(_ resource: any AwaitedResource) -> Recording.Gate? {
    guard let places = resource.placeCount else { return nil }
    return lock.locked {
      let identity = ObjectIdentifier(resource)
      guard let number = gates[identity] ?? (gates.count < capacity ? gates.count + 1 : nil) else { return nil }
      gates[identity] = number
      return Recording.Gate(id: number, places: places)
    }
  }

  private func outcome(of promise: AnyPromise) -> Recording.Outcome {
    promise.isFulfilled ? .fulfilled : promise.isCancelled ? .cancelled : .rejected
  }

  private func creation(
    _ promise: AnyPromise, _ number: Int, from source: AnyPromise?, on context: String
  ) -> Recording.Creation {
    Recording.Creation(
      id: number, operation: promise.operationName ?? (promise.isRecordedObserver ? "observer" : "promise"),
      type: promise.isRecordedObserver ? "" : promise.recordedType, createdAt: promise.createdAt,
      sources: [source?.number(in: self)].compactMap(\.self), context: context, isObserver: promise.isRecordedObserver)
  }

  private func append(_ kind: Recording.Event.Kind) {
    let thread = promise_thread()
    let dropped = lock.locked {
      let number = threads[thread] ?? threads.count + 1
      threads[thread] = number
      // Read under the lock, so that times never decrease.
      return log.append(Recording.Event(time: clock(), thread: number, kind: kind))
    }
    withExtendedLifetime(dropped) {}
  }
}
