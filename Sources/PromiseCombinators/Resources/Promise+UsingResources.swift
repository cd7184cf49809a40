public import PromiseContexts
public import PromiseCore

extension Promise {
  /// Acquires a resource, calls the closure with it, and releases it, as the `using` does that takes the closures of a
  /// resource.
  ///
  /// ```swift
  /// let rows = Promise.using(pool.connection) { connection in connection.query("select * from towns") }
  /// ```
  ///
  /// - Parameters:
  ///   - resource: acquires and releases the resource.
  ///   - context: where the closure runs. The closures of the resource run where that says.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - body: uses the resource.
  /// - Complexity: O(1).
  public static func using<Acquired: Sendable>(
    _ resource: Resource<Acquired>, on context: any ExecutionContext = .pool,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Acquired) throws -> Promise
  ) -> Promise {
    use(resource.closuresForOneUse(fileID: fileID, line: line), on: context, fileID: fileID, line: line, body)
  }

  /// Acquires two resources in order, calls the closure with them, and releases them in reverse order.
  ///
  /// ```swift
  /// let count = Promise.using(source, target) { source, target in source.copy(to: target) }
  /// ```
  ///
  /// This is a use of the second resource inside a use of the first (rule 2.10). The second acquisition begins when the
  /// first resource is acquired, and the release of the first begins when that of the second has ended, whatever ends
  /// the use. If the acquisition of the second resource needs the first, or for more than two resources, nest the uses.
  ///
  /// - Failure: if the second acquisition fails, the first resource is released. If the release of the second fails
  ///   after a use with a value, the release of the first gets that error as the outcome, and the result is rejected
  ///   with it.
  /// - Cancelling the result during the second acquisition lets the acquisition end. Then both resources are released,
  ///   the second one first. Otherwise as for one resource.
  ///
  /// - Parameters:
  ///   - first: acquires and releases the first resource.
  ///   - second: acquires and releases the second resource.
  ///   - context: where the closure runs. The closures of the resources run where those say.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - body: uses the resources.
  /// - Complexity: O(1).
  public static func using<First: Sendable, Second: Sendable>(
    _ first: Resource<First>, _ second: Resource<Second>, on context: any ExecutionContext = .pool,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (First, Second) throws -> Promise
  ) -> Promise {
    let outer = first.closuresForOneUse(fileID: fileID, line: line)
    let inner = second.closuresForOneUse(fileID: fileID, line: line)
    // The outer closure runs no code of the client.
    return use(outer, on: InlineContext.shared, fileID: fileID, line: line) { first in
      use(inner, on: context, fileID: fileID, line: line) { second in try body(first, second) }
    }
  }

  /// Acquires a resource, calls the async closure with it, and releases it, as the `asyncUsing` does that takes the
  /// closures of a resource. If the closures of the resource return promises, it waits until these have finished (rule
  /// 2.11).
  ///
  /// - Parameters:
  ///   - resource: acquires and releases the resource.
  ///   - priority: the priority of the Tasks. If it is `nil`, they have the priority of the caller.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - body: uses the resource, and returns the value of the result.
  /// - Complexity: O(1), and three Tasks.
  public static func asyncUsing<Acquired: Sendable>(
    _ resource: Resource<Acquired>, priority: TaskPriority? = nil,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Acquired) async throws -> Value
  ) -> Promise {
    let site = CreationSite(fileID: fileID, line: line)
    return asyncUsing(
      { try await resource.acquire(at: site) },
      release: { value, outcome in try await resource.release(value, after: outcome, at: site) },
      priority: priority, fileID: fileID, line: line, body)
  }

  /// Acquires two resources in order, calls the async closure with them, and releases them in reverse order.
  ///
  /// This is a use of the second resource inside a use of the first, as the `using` of two resources is. The first
  /// release gets the error that the use of the second has thrown. After a cancellation while the closure runs, that is
  /// a `CancellationError`, whatever the reason is, because the Task of the outer use does not know it.
  ///
  /// - Parameters:
  ///   - first: acquires and releases the first resource.
  ///   - second: acquires and releases the second resource.
  ///   - priority: the priority of the Tasks. If it is `nil`, they have the priority of the caller.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - body: uses the resources, and returns the value of the result.
  /// - Complexity: O(1), and six Tasks.
  public static func asyncUsing<First: Sendable, Second: Sendable>(
    _ first: Resource<First>, _ second: Resource<Second>, priority: TaskPriority? = nil,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (First, Second) async throws -> Value
  ) -> Promise {
    asyncUsing(first, priority: priority, fileID: fileID, line: line) { first in
      let use = asyncUsing(second, priority: priority, fileID: fileID, line: line) { second in
        try await body(first, second)
      }
      return try await use.value(cancelsSource: true)
    }
  }

  /// Uses a resource whose release does not need the value of the use.
  private static func use<Acquired>(
    _ closures: ResourceClosures<Acquired, Result<Void, any Error>>, on context: any ExecutionContext,
    fileID: StaticString, line: UInt, _ body: @escaping @Sendable (Acquired) throws -> Promise
  ) -> Promise {
    let site = CreationSite(fileID: fileID, line: line)
    return closures.use(on: context, at: site, outcome: { $0.settledError.map { .failure($0) } ?? .success(()) }, body)
  }
}
