// With APPLE_FAKES it is compiled into Tests/AppleBranchTests, with a stand-in for Core Data.
#if canImport(CoreData) || APPLE_FAKES
  #if canImport(CoreData)
    public import CoreData
  #endif
  public import PromiseContexts

  /// A Core Data context as an execution context: see ``ExecutionContext/managed(_:)``.
  ///
  /// `@unchecked Sendable`: of the managed object context only `perform` is called, which may be called from any thread,
  /// and all else where that runs.
  public final class ManagedObjectContext: ExecutionContext, @unchecked Sendable {
    fileprivate let context: NSManagedObjectContext

    fileprivate init(_ context: NSManagedObjectContext) { self.context = context }

    /// Runs the job later, on the queue of the managed object context.
    public func schedule(_ job: consuming Job) {
      let job = consume job
      context.perform { job.run() }
    }

    /// Runs the jobs later, in order, in one block.
    public func schedule(batch: consuming [Job]) {
      let jobs = consume batch
      context.perform { for job in jobs { job.run() } }
    }

    /// The managed object context: handlers of one settlement travel there together (rule 2.2).
    public var identity: ObjectIdentifier? { ObjectIdentifier(context) }
  }

  extension ExecutionContext where Self == ManagedObjectContext {
    /// The queue of a Core Data context: handlers may touch its objects, and run in order, one at a time (reference row H5).
    ///
    /// ```swift
    /// users.tap(on: .managed(context)) { users in try save(users) }
    /// ```
    ///
    /// The compiler does not know which objects belong to which context, so what a handler returns ought to be
    /// `NSManagedObjectID`s or values, and no managed objects.
    ///
    /// - Parameter context: of private-queue or main-queue type.
    /// - Complexity: one allocation; handlers keep the context until they have run.
    public static func managed(_ context: NSManagedObjectContext) -> ManagedObjectContext {
      ManagedObjectContext(context)
    }
  }

  extension NSManagedObjectContext {
    /// A promise for what the closure, which runs on the queue of this context, returns or throws.
    ///
    /// - Parameters:
    ///   - body: gets this context.
    ///   - fileID: where the promise was made, for errors and diagnostics.
    ///   - line: the line there.
    public func promise<Value: Sendable>(
      fileID: StaticString = #fileID, line: UInt = #line,
      _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) -> Promise<Value> {
      // In its wrapper, whether or not the SDK calls it `Sendable`: touched on its own queue only.
      let place = ManagedObjectContext(self)
      return .run(on: place, fileID: fileID, line: line) { try body(place.context) }
    }
  }
#endif
