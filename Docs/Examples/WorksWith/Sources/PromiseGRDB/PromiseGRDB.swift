public import GRDB
public import PromiseContexts

extension DatabaseReader {
  /// Reads from the database, and returns a promise for the value of the closure.
  ///
  /// Cancelling the promise interrupts the statement that runs. A read that has not begun never begins. The promise has
  /// not finished before the closure has returned, so the release of a `using` and a place in a gate wait for it.
  public func reading<Value: Sendable>(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (Database) throws -> Value
  ) -> Promise<Value> {
    .task(fileID: fileID, line: line) { try await self.read(body) }
  }
}

extension DatabaseWriter {
  /// Writes to the database in one transaction, and returns a promise for the value of the closure.
  ///
  /// Cancelling the promise interrupts the statement that runs, and rolls the transaction back. The promise has not
  /// finished before that, so the release of a `using` and a place in a gate wait for it.
  public func writing<Value: Sendable>(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (Database) throws -> Value
  ) -> Promise<Value> {
    .task(fileID: fileID, line: line) { try await self.write(body) }
  }
}

/// Runs handlers while they have the database connection for writing to themselves, in order. See
/// ``PromiseCore/ExecutionContext/database(_:)``.
///
/// A handler reaches the connection with `unsafeReentrantWrite`.
public final class DatabaseContext: ExecutionContext {
  private let writer: any DatabaseWriter

  fileprivate init(_ writer: any DatabaseWriter) { self.writer = writer }

  /// Runs the job when the connection is free, in no transaction.
  public func schedule(_ job: consuming Job) {
    let job = consume job
    // Retains this context until the job has run. A blocking wait looks up the context of a handler, to detect a
    // deadlock.
    writer.asyncWriteWithoutTransaction { _ in withExtendedLifetime(self) { job.run() } }
  }

  /// Runs the jobs in order, in no transaction.
  public func schedule(batch: consuming [Job]) {
    let jobs = consume batch
    writer.asyncWriteWithoutTransaction { _ in withExtendedLifetime(self) { for job in jobs { job.run() } } }
  }

  /// The identity of the database. Handlers of one settlement are scheduled on it together.
  public var identity: ObjectIdentifier? { ObjectIdentifier(writer) }
}

extension ExecutionContext where Self == DatabaseContext {
  /// Returns a context that runs handlers on the connection for writing of a queue or a pool.
  public static func database(_ writer: any DatabaseWriter) -> DatabaseContext { DatabaseContext(writer) }
}
