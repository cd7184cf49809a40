public import PromiseContexts
public import PromiseCore

/// Runs asynchronous operations one after another.
///
/// A closure that returns a promise is called when the promise of the closure before it has finished.
///
/// ```swift
/// let saving = SerialGate()
/// let saved = saving.run { try store.save(document) }
/// ```
///
/// A serial queue also runs closures one after another, but it does not wait for the asynchronous work that they begin.
/// A gate waits for that work, and blocks no thread.
///
/// - Order: closures are admitted in the order of the calls of `run`. A ``QueuePriority`` can change the order.
/// - Failure: the result is rejected with the error of the closure's promise, or with the error that the closure
///   throws. Then the next closure is called.
/// - Cancelling a result before its closure is called removes it from the queue, and the closure is never called. After
///   that, the closure's promise is given up, with everything that it waits for (rule 4.6). The next closure is called
///   when that promise has finished (rule 2.11), with its Tasks, its cleanups and the hooks of its owner.
/// - Progress: the progress of the closure's promise.
/// - Task-local values: a closure sees none, and an async closure those of its caller, never those of the client that
///   has left the gate (rule 8.3).
///
/// Closures that wait are still called after the last reference to the gate is released. A closure whose promise waits
/// for another result of the same gate causes a deadlock.
///
/// A call, or a settlement that frees places, admits a limited number of closures that wait. If there are more, the
/// pool admits them.
public final class SerialGate: Sendable {
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
      GateIdentity("SerialGate", label, fileID, line), places: 1, until: end,
      waitingLimit: WaitingLimit(waitingLimit, on: timers), queueLimit: queueLimit)
  }

  deinit { admission.gateWasReleased() }

  /// Calls the closure when the operations of all earlier calls have finished.
  ///
  /// - Parameters:
  ///   - context: where the closure runs.
  ///   - queuePriority: determines the place in the queue. With `nil` it is that of the level 0.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - body: begins the operation. If it throws, the result is rejected with that error.
  /// - Returns: a promise that settles as the closure's promise does.
  /// - Complexity: O(1).
  public func run<Value>(
    on context: any ExecutionContext = .pool, queuePriority: QueuePriority? = nil,
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () throws -> Promise<Value>
  ) -> Promise<Value> {
    admission.run(with: queuePriority, on: context, at: CreationSite(fileID: fileID, line: line), body)
  }

  /// Calls the async closure when the operations of all earlier calls have finished.
  ///
  /// Differs from ``run(on:queuePriority:fileID:line:_:)-(ExecutionContext,_,_,_,_)`` in two ways. The closure runs in
  /// a Task of its own, with the task-local values of the caller, so it needs no context (rule 8.3). If the result is
  /// cancelled, the Task is cancelled and the result is settled at once, but the closure keeps its place until it has
  /// returned (rule 4.6). In a gate with `until: .settled`, its place is free at once. If it has not been called yet, it
  /// never is.
  ///
  /// - Parameters:
  ///   - priority: the priority of the Task. If it is `nil`, the Task has the priority of the caller.
  ///   - queuePriority: determines the place in the queue. With `nil` it is that of the level 0.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - body: returns the value. If it throws, the result is rejected with that error.
  /// - Complexity: O(1), and a Task.
  public func asyncRun<Value: Sendable>(
    priority: TaskPriority? = nil, queuePriority: QueuePriority? = nil,
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () async throws -> Value
  ) -> Promise<Value> {
    admission.asyncRun(with: queuePriority, priority: priority, at: CreationSite(fileID: fileID, line: line), body)
  }
}

extension SerialGate: CustomDebugStringConvertible {
  /// Describes the gate in one line: its label, the operations that are inside or wait, and its creation site.
  public var debugDescription: String { admission.description }
}
