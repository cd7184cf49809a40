public import PromiseContexts
public import PromiseCore

/// So many at a time: a closure that returns a promise is called when there is a place, which it keeps until its
/// promise is settled (reference row N12).
///
/// ```swift
/// let downloads = Limit(4)
/// let pages = Promise.all(urls.map { url in downloads.run { server.load(url) } })
/// ```
///
/// Order, failure, cancellation and progress are those of a ``SerialGate``, which is a limit of 1. For one list of things to do
/// `Promise.traverse` is shorter.
public final class Limit: Sendable {
  private let admission: AdmissionControl

  /// - Parameter count: how many at a time. Less than 1 counts as 1.
  public init(_ count: Int) { admission = AdmissionControl(places: count) }

  /// Calls the closure when there is a place for it. As ``SerialGate/run(on:fileID:line:_:)-(ExecutionContext,_,_,_)``.
  public func run<Value>(
    on context: any ExecutionContext = .pool, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Promise<Value>
  ) -> Promise<Value> {
    admission.run(on: context, at: CreationSite(fileID: fileID, line: line), body)
  }

  /// Calls the async closure as soon as there is a place for it.
  ///
  /// As ``run(on:fileID:line:_:)-(ExecutionContext,_,_,_)``, but the closure needs no context: it runs in a
  /// Task of its own. If the result is cancelled, that Task is cancelled, and the result is settled at once; the place is free only
  /// when the closure has returned (rule 4.6). A closure that was not called by then never is.
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
