public import PromiseContexts
public import PromiseCore

/// One after another: a closure that returns a promise is called when the promise of the one before is settled
/// (reference row N12).
///
/// ```swift
/// let saving = SerialGate()
/// let saved = saving.run { try store.save(document) }
/// ```
///
/// A serial queue runs closures one after another, but does not wait for what they begin. A gate does, and blocks no
/// thread for it.
///
/// - Order: first in, first out.
/// - Failure: the result is rejected as the closure's promise is, or with what the closure throws; the next is let in.
/// - Cancelling a result takes it out of the line, and its closure is never called; once that was called its promise is
///   given up, with all that it waits for (rule 4.6). The place is free when that promise is settled.
/// - Progress: that of the closure's promise.
///
/// A gate that nobody holds any more still lets in whoever waits. A closure that waits for something that goes through
/// the same gate waits for ever.
public final class SerialGate: Sendable {
  private let admission = AdmissionControl(places: 1)

  /// A gate with nobody in it.
  public init() {}

  /// Calls the closure when all that came before are done.
  ///
  /// - Parameters:
  ///   - context: where the closure runs.
  ///   - fileID: where the result was made, for errors and diagnostics.
  ///   - line: the line there.
  ///   - body: what must be alone. A throw is a rejection.
  /// - Returns: what the closure's promise becomes.
  /// - Complexity: O(1).
  public func run<Value>(
    on context: any ExecutionContext = .pool, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Promise<Value>
  ) -> Promise<Value> {
    admission.run(on: context, at: CreationSite(fileID: fileID, line: line), body)
  }

  /// Calls the async closure when all are done that came before.
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
