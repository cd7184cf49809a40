public import PromiseContexts
public import PromiseCore

/// Limits how many operations run at a time.
///
/// A closure that returns a promise is called when a place is free. It keeps the place until its promise has finished
/// (rule 2.11).
///
/// ```swift
/// let downloads = ConcurrencyLimit(4)
/// let pages = Promise.all(urls.map { url in downloads.run { server.load(url) } })
/// ```
///
/// Order, failure, cancellation and progress are those of a ``SerialGate``, which is a limit of 1.
///
/// To process the elements of one sequence, `Promise.traverse` is shorter, and its result stops all of them when it is
/// cancelled. The result of `all` only borrows its inputs. `pages.cancel(upstream: true)` stops them, and
/// `pages.cancel()` leaves them running.
public final class ConcurrencyLimit: Sendable {
  let admission: AdmissionControl

  /// Creates a limit with no operation in progress.
  ///
  /// - Parameters:
  ///   - count: the number of operations that may run at a time. A number below 1 counts as 1. It can be changed later
  ///     (``placeCount``).
  ///   - waitingLimit: how long an operation may wait for its turn. If it waits for longer, its result is rejected
  ///     with ``/PromiseCore/PromiseError/timedOut(createdAt:)``, and its closure is never called. Zero or less means
  ///     that it may not wait, not even for another thread that admits operations at that moment. With `nil` there is
  ///     no limit. How long an operation takes after it was admitted does not matter.
  ///   - queueLimit: how many operations may wait for their turn. If a further one would have to wait, its result is
  ///     rejected with ``/PromiseCore/PromiseError/queueFull(createdAt:)``, and its closure is never called. Its priority
  ///     does not matter. With zero or less, no operation may wait. With `nil` there is no limit.
  ///   - end: when an operation gives its place back. By default, that is when its promise has finished (rule 2.11).
  ///     With `.settled`, an operation that is cancelled, or has exceeded a limit, gives its place back although its
  ///     work may still run. So more operations may run than the gate admits, but one that never ends keeps no place.
  ///   - timers: the clock of this limit. The default is the system's, or the clock of the `TestWorld` in which the
  ///     gate is created.
  ///   - label: names the limit in descriptions.
  ///   - fileID: the file in which the limit is created, for descriptions.
  ///   - line: the line in that file.
  public init(
    _ count: Int, waitingAtMost waitingLimit: Duration? = nil, queueLimit: Int? = nil, until end: WorkEnd = .finished,
    timers: any TimerContext = .standard, label: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    admission = AdmissionControl(
      GateIdentity("ConcurrencyLimit", label, fileID, line), places: count, until: end,
      waitingLimit: WaitingLimit(waitingLimit, on: timers), queueLimit: queueLimit)
  }

  deinit { admission.gateWasReleased() }

  /// The number of places, which is how many operations may run at a time. It may change at any time.
  ///
  /// If it is raised, operations that wait are admitted. If it is lowered, those that have a place keep it, and no
  /// further operation is admitted before fewer are inside than there are places. So ``runningCount`` may exceed it for
  /// a while.
  ///
  /// ```swift
  /// network.onChange { path in downloads.placeCount = path.isExpensive ? 1 : 4 }
  /// ```
  ///
  /// A number below 1 counts as 1. To admit none, set ``isPaused``. If several threads set it, the last of them
  /// decides.
  ///
  /// - Complexity: O(1). If it is raised, operations are admitted inside the call.
  public var placeCount: Int {
    get { admission.placeCount ?? 1 }
    set { admission.setPlaceCount(newValue) }
  }

  /// Calls the closure when a place is free.
  ///
  /// Parameters, failure and cancellation are those of
  /// ``SerialGate/run(on:queuePriority:fileID:line:_:)-(ExecutionContext,_,_,_,_)``.
  public func run<Value>(
    on context: any ExecutionContext = .pool, queuePriority: QueuePriority? = nil,
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () throws -> Promise<Value>
  ) -> Promise<Value> {
    admission.run(with: queuePriority, on: context, at: CreationSite(fileID: fileID, line: line), body)
  }

  /// Calls the async closure when a place is free.
  ///
  /// Parameters, failure and cancellation are those of
  /// ``SerialGate/asyncRun(priority:queuePriority:fileID:line:_:)``.
  public func asyncRun<Value: Sendable>(
    priority: TaskPriority? = nil, queuePriority: QueuePriority? = nil,
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () async throws -> Value
  ) -> Promise<Value> {
    admission.asyncRun(with: queuePriority, priority: priority, at: CreationSite(fileID: fileID, line: line), body)
  }
}

extension ConcurrencyLimit: CustomDebugStringConvertible {
  /// Describes the gate in one line: its label, the operations that are inside or wait, and its creation site.
  public var debugDescription: String { admission.description }
}
