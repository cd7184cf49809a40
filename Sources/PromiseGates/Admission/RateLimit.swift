public import PromiseContexts
public import PromiseCore

/// Limits how many operations start in any period of a given length.
///
/// ```swift
/// let api = RateLimit(10, per: .seconds(1))
/// let answer = api.run { server.ask(question) }
/// ```
///
/// An operation starts when its closure is called. How long it takes after that does not matter; to limit how many run
/// at a time, use ``ConcurrencyLimit``. Closures are admitted in the order of the calls of `run`.
///
/// Failure, cancellation and progress are those of a ``SerialGate``. An operation that is cancelled while it waits
/// leaves the queue, and does not count. A closure whose context is busy has not started: it keeps its turn, and counts
/// from the moment in which it is called. A timer runs only while an operation or a client of ``whenRoom(fileID:line:)``
/// waits.
public final class RateLimit: Sendable {
  let admission: AdmissionControl

  /// Creates a limit with no start counted.
  ///
  /// - Parameters:
  ///   - count: the number of operations that may start in a period. A number below 1 counts as 1.
  ///   - period: the length of the period. Zero or less means that there is no limit.
  ///   - waitingLimit: how long an operation may wait for its turn. If it waits for longer, its result is rejected
  ///     with ``/PromiseCore/PromiseError/timedOut(createdAt:)``, and its closure is never called. Zero or less means
  ///     that it may not wait, not even for another thread that admits operations at that moment. With `nil` there is
  ///     no limit. How long an operation takes after it was admitted does not matter.
  ///   - queueLimit: how many operations may wait for their turn. If a further one would have to wait, its result is
  ///     rejected with ``/PromiseCore/PromiseError/queueFull(createdAt:)``, and its closure is never called. Its priority
  ///     does not matter. With zero or less, no operation may wait. With `nil` there is no limit.
  ///   - timers: the clock. The default is the system's, or the clock of the `TestWorld` in which this limit is
  ///     created.
  ///   - label: names the limit in descriptions.
  ///   - fileID: the file in which the limit is created, for descriptions.
  ///   - line: the line in that file.
  public init(
    _ count: Int, per period: Duration, waitingAtMost waitingLimit: Duration? = nil, queueLimit: Int? = nil,
    timers: any TimerContext = .standard, label: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    admission = AdmissionControl(
      GateIdentity("RateLimit", label, fileID, line), rateWindow: RateWindow(max(1, count), per: period),
      waitingLimit: WaitingLimit(waitingLimit, on: timers), queueLimit: queueLimit, timers: timers.effective)
  }

  deinit { admission.gateWasReleased() }

  /// Calls the closure when it may start.
  ///
  /// Parameters, failure and cancellation are those of
  /// ``SerialGate/run(on:queuePriority:fileID:line:_:)-(ExecutionContext,_,_,_,_)``.
  public func run<Value>(
    on context: any ExecutionContext = .pool, queuePriority: QueuePriority? = nil,
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () throws -> Promise<Value>
  ) -> Promise<Value> {
    admission.run(with: queuePriority, on: context, at: CreationSite(fileID: fileID, line: line), body)
  }

  /// Calls the async closure when it may start.
  ///
  /// Differs from ``run(on:queuePriority:fileID:line:_:)-(ExecutionContext,_,_,_,_)`` in that the closure runs in a
  /// Task of its own, with the task-local values of the caller, so it needs no context (rule 8.3). If the result is
  /// cancelled, the Task is cancelled and the result is settled at once. If the closure has not been called yet, it
  /// never is, and does not count.
  ///
  /// The closure is called as soon as its Task runs, and counts from that moment. If it is isolated to an actor, it may
  /// still have to wait for the actor, and several closures may then begin together. To count from the moment in which
  /// a closure begins on the main actor or another actor, use `run(on: .main)` or `run(isolatedTo:)`.
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

extension RateLimit: CustomDebugStringConvertible {
  /// Describes the gate in one line: its label, the operations that are inside or wait, and its creation site.
  public var debugDescription: String { admission.description }
}
