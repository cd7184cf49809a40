public import PromiseContexts
public import PromiseCore

/// So many in a time: a closure is called when, with it, no more have started in any stretch of that length (reference
/// row N12).
///
/// ```swift
/// let api = RateLimit(10, per: .seconds(1))
/// let answer = api.run { server.ask(question) }
/// ```
///
/// Only starts count, when the closure is called, however long what it begins may take; for that there is ``Limit``.
/// First in, first out. Failure, cancellation and progress are those of a ``SerialGate``: who is cancelled while
/// waiting leaves the line, and does not count. There is a timer only while somebody waits. A closure whose context is
/// busy has not started: its turn is kept, and it counts from when it does.
public final class RateLimit: Sendable {
  private let admission: AdmissionControl

  /// - Parameters:
  ///   - count: how many. Less than 1 counts as 1.
  ///   - period: in what time. Zero or less is no limit.
  ///   - timers: what tells the time. In a test's world, by default, that world's clock: of the world in which this is made.
  public init(_ count: Int, per period: Duration, timers: any TimerContext = .standard) {
    admission = AdmissionControl(rateWindow: RateWindow(max(1, count), per: period), timers: timers.here)
  }

  /// Calls the closure when it may start. As ``SerialGate/run(on:fileID:line:_:)-(ExecutionContext,_,_,_)``.
  public func run<Value>(
    on context: any ExecutionContext = .pool, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Promise<Value>
  ) -> Promise<Value> {
    admission.run(on: context, at: CreationSite(fileID: fileID, line: line), body)
  }

  /// Calls the async closure when it may start.
  ///
  /// As ``run(on:fileID:line:_:)-(ExecutionContext,_,_,_)``, but the closure needs no context: it runs in a Task of its own. If the
  /// result is cancelled, that Task is cancelled, and the result is settled at once. A closure that was not called by then never
  /// is, and does not count.
  ///
  /// - Parameters:
  ///   - priority: that of the Task; `nil`: that of the thread that lets it in.
  ///   - fileID: where the result was made, for errors and diagnostics.
  ///   - line: the line there.
  ///   - body: makes the value. A throw is a rejection.
  /// - Complexity: as that of the other form, and a Task.
  public func asyncRun<Value: Sendable>(
    priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () async throws -> Value
  ) -> Promise<Value> {
    admission.asyncRun(priority: priority, at: CreationSite(fileID: fileID, line: line), body)
  }
}
