public import PromiseContexts
public import PromiseCore

/// Admits any number of readers at a time, or one writer.
///
/// Readers and writers are closures that return promises. Each of them is inside the gate until its promise has
/// finished (rule 2.11).
///
/// ```swift
/// let gate = ReadersWriterGate()
/// let user = gate.read { database.user(id) }
/// let saved = user.then { user in gate.write { database.save(user) } }
/// ```
///
/// It does for promises what a barrier on a concurrent queue does for closures. Closures are admitted in the order of
/// the calls: a reader waits for all writers that came before it, so neither readers nor writers starve. Failure,
/// cancellation and progress are those of a ``SerialGate``.
///
/// A closure whose promise waits for a writer of the same gate causes a deadlock. So does a reader that waits for
/// another reader, as soon as a writer has come between the two.
public final class ReadersWriterGate: Sendable {
  /// The number of places. A writer takes all of them, and a reader takes one, so it must exceed any number of readers.
  static let places = Int.max
  let admission: AdmissionControl

  /// Creates a gate with no closure inside.
  ///
  /// - Parameters:
  ///   - waitingLimit: how long an operation may wait for its turn. If it waits for longer, its result is rejected
  ///     with ``/PromiseCore/PromiseError/timedOut(createdAt:)``, and its closure is never called. Zero or less means
  ///     that it may not wait, not even for another thread that admits operations at that moment. With `nil` there is
  ///     no limit. How long an operation takes after it was admitted does not matter.
  ///   - queueLimit: how many operations may wait for their turn. If a further one would have to wait, its result is
  ///     rejected with ``/PromiseCore/PromiseError/queueFull(createdAt:)``, and its closure is never called. Its priority
  ///     does not matter. With zero or less, no operation may wait. With `nil` there is no limit.
  ///   - end: when an operation gives its place back. By default, that is when its promise has finished (rule 2.11).
  ///     With
  ///     `.settled`, an operation that is cancelled, or has exceeded a limit, gives its place back although its work
  ///     may still run. So more operations may run than the gate admits, but one that never ends keeps no place.
  ///   - timers: the clock of this limit. The default is the system's, or the clock of the `TestWorld` in which the
  ///     gate is created.
  ///   - label: names the gate in descriptions.
  ///   - fileID: the file in which the gate is created, for descriptions.
  ///   - line: the line in that file.
  public init(
    waitingAtMost waitingLimit: Duration? = nil, queueLimit: Int? = nil, until end: WorkEnd = .finished,
    timers: any TimerContext = .standard, label: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    admission = AdmissionControl(
      GateIdentity("ReadersWriterGate", label, fileID, line), places: Self.places, until: end,
      waitingLimit: WaitingLimit(waitingLimit, on: timers), queueLimit: queueLimit)
  }

  deinit { admission.gateWasReleased() }

  /// Calls the closure when all writers that came before it are done.
  ///
  /// Parameters, failure and cancellation are those of
  /// ``SerialGate/run(on:queuePriority:fileID:line:_:)-(ExecutionContext,_,_,_,_)``.
  public func read<Value>(
    on context: any ExecutionContext = .pool, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Promise<Value>
  ) -> Promise<Value> {
    admission.run(on: context, at: CreationSite(fileID: fileID, line: line), body)
  }

  /// Calls the closure when all readers and writers that came before it are done.
  ///
  /// Parameters, failure and cancellation are those of
  /// ``SerialGate/run(on:queuePriority:fileID:line:_:)-(ExecutionContext,_,_,_,_)``.
  public func write<Value>(
    on context: any ExecutionContext = .pool, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Promise<Value>
  ) -> Promise<Value> {
    admission.run(taking: Self.places, on: context, at: CreationSite(fileID: fileID, line: line), body)
  }

  /// Calls the async closure when all writers that came before it are done.
  ///
  /// Parameters, failure and cancellation are those of
  /// ``SerialGate/asyncRun(priority:queuePriority:fileID:line:_:)``.
  public func asyncRead<Value: Sendable>(
    priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () async throws -> Value
  ) -> Promise<Value> {
    admission.asyncRun(priority: priority, at: CreationSite(fileID: fileID, line: line), body)
  }

  /// Calls the async closure when all readers and writers that came before it are done.
  ///
  /// Parameters, failure and cancellation are those of
  /// ``SerialGate/asyncRun(priority:queuePriority:fileID:line:_:)``.
  public func asyncWrite<Value: Sendable>(
    priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () async throws -> Value
  ) -> Promise<Value> {
    admission.asyncRun(taking: Self.places, priority: priority, at: CreationSite(fileID: fileID, line: line), body)
  }
}

extension ReadersWriterGate: CustomDebugStringConvertible {
  /// Describes the gate in one line: its label, the operations that are inside or wait, and its creation site.
  public var debugDescription: String { admission.description }
}
