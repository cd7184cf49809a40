// With APPLE_FAKES this file is compiled into Tests/AppleBranchTests, with a fake of Core Data.
#if canImport(CoreData) || APPLE_FAKES
  #if canImport(CoreData)
    public import CoreData
  #endif
  public import PromiseContexts

  /// An execution context that runs its handlers on the queue of a Core Data context. See
  /// ``ExecutionContext/managed(_:)``.
  ///
  /// `@unchecked Sendable`, because `perform` may be called on any thread, and everything else of the Core Data context
  /// is used only inside it.
  public final class ManagedObjectContext: ExecutionContext, @unchecked Sendable {
    fileprivate let context: NSManagedObjectContext

    fileprivate init(_ context: NSManagedObjectContext) { self.context = context }

    /// Runs the job asynchronously on the queue of the managed object context.
    public func schedule(_ job: consuming Job) {
      let job = consume job
      context.perform { job.run() }
    }

    /// Runs the jobs asynchronously, in order, in one block.
    public func schedule(batch: consuming [Job]) {
      let jobs = consume batch
      context.perform { for job in jobs { job.run() } }
    }

    /// The identity of the managed object context. Handlers of one settlement are scheduled on it together (rule 2.2).
    public var identity: ObjectIdentifier? { ObjectIdentifier(context) }
  }

  extension ExecutionContext where Self == ManagedObjectContext {
    /// Returns a context for the queue of a Core Data context. Handlers run there in order, one at a time, and may use
    /// its objects.
    ///
    /// ```swift
    /// users.tap(on: .managed(context)) { users in try save(users) }
    /// ```
    ///
    /// The compiler does not know which objects belong to which context. So a handler ought to return values or
    /// `NSManagedObjectID`s, and no managed objects.
    ///
    /// - Parameter context: a Core Data context of the private-queue or main-queue type. Handlers retain it until they
    ///   have run.
    /// - Complexity: one allocation.
    public static func managed(_ context: NSManagedObjectContext) -> ManagedObjectContext {
      ManagedObjectContext(context)
    }
  }

  extension NSManagedObjectContext {
    /// Runs a closure on the queue of this context, and returns a promise for its result.
    ///
    /// - Parameters:
    ///   - fileID: the file where the promise was made, for errors and diagnostics.
    ///   - line: the line where the promise was made.
    ///   - body: receives this context. An error that it throws rejects the promise.
    public func promise<Value: Sendable>(
      fileID: StaticString = #fileID, line: UInt = #line,
      _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) -> Promise<Value> {
      // The closure captures the wrapper, because some SDKs do not declare the Core Data context `Sendable`.
      let place = ManagedObjectContext(self)
      return .run(on: place, fileID: fileID, line: line) { try body(place.context) }
    }
  }
#endif
