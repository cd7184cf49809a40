public import PromiseContexts
public import PromiseCore

/// Any number of readers at a time, or one writer: closures that return promises, which have their place until their
/// promise is settled (reference row N12).
///
/// ```swift
/// let gate = ReadersWriterGate()
/// let user = gate.read { database.user(id) }
/// let saved = user.then { user in gate.write { database.save(user) } }
/// ```
///
/// What a barrier on a concurrent queue is for closures this is for promises. First in, first out: who reads waits for
/// all who came to write before, so that nobody waits for ever. Failure, cancellation and progress are those of a
/// ``SerialGate``.
public final class ReadersWriterGate: Sendable {
  /// More than there will ever be readers at a time.
  private static let places = Int.max
  private let admission = AdmissionControl(places: places)

  /// A gate with nobody in it.
  public init() {}

  /// Calls the closure when all are done that came to write before. As ``SerialGate/run(on:fileID:line:_:)-(ExecutionContext,_,_,_)``.
  public func read<Value>(
    on context: any ExecutionContext = .pool, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Promise<Value>
  ) -> Promise<Value> {
    admission.run(on: context, at: CreationSite(fileID: fileID, line: line), body)
  }

  /// Calls the closure when all are done that came before. As ``SerialGate/run(on:fileID:line:_:)-(ExecutionContext,_,_,_)``.
  public func write<Value>(
    on context: any ExecutionContext = .pool, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Promise<Value>
  ) -> Promise<Value> {
    admission.run(taking: Self.places, on: context, at: CreationSite(fileID: fileID, line: line), body)
  }

  /// Calls the async closure when all are done that came to write before.
  ///
  /// As ``read(on:fileID:line:_:)-(ExecutionContext,_,_,_)``, but the closure needs no context: it runs in a
  /// Task of its own. If the result is cancelled, that Task is cancelled, and the result is settled at once; the place is free only
  /// when the closure has returned (rule 4.6). A closure that was not called by then never is.
  ///
  /// - Parameters:
  ///   - priority: that of the Task; `nil`: that of the thread that lets it in.
  ///   - fileID: where the result was made, for errors and diagnostics.
  ///   - line: the line there.
  ///   - body: makes the value. A throw is a rejection.
  /// - Complexity: as that of the other form, and a Task.
  public func asyncRead<Value: Sendable>(
    priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () async throws -> Value
  ) -> Promise<Value> {
    admission.asyncRun(priority: priority, at: CreationSite(fileID: fileID, line: line), body)
  }

  /// Calls the async closure when all are done that came before.
  ///
  /// As ``write(on:fileID:line:_:)-(ExecutionContext,_,_,_)``, but the closure needs no context: it runs in a
  /// Task of its own. If the result is cancelled, that Task is cancelled, and the result is settled at once; the place is free only
  /// when the closure has returned (rule 4.6). A closure that was not called by then never is.
  ///
  /// - Parameters:
  ///   - priority: that of the Task; `nil`: that of the thread that lets it in.
  ///   - fileID: where the result was made, for errors and diagnostics.
  ///   - line: the line there.
  ///   - body: makes the value. A throw is a rejection.
  /// - Complexity: as that of the other form, and a Task.
  public func asyncWrite<Value: Sendable>(
    priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () async throws -> Value
  ) -> Promise<Value> {
    admission.asyncRun(taking: Self.places, priority: priority, at: CreationSite(fileID: fileID, line: line), body)
  }
}
