public import PromiseCore

extension Promise {
  /// Calls the async closure for each element of a sequence, and returns a promise for the results in the order of the
  /// elements. At most `concurrency` calls run at a time.
  ///
  /// ```swift
  /// let thumbnails = Promise.asyncTraverse(photos, concurrency: 4) { photo in try await render(photo) }
  /// ```
  ///
  /// Differs from `traverse(_:concurrency:until:on:_:)` in that the closure needs no context: each call runs in a Task of its
  /// own. One more Task reads the sequence, and reads an element only when fewer than `concurrency` calls run. These
  /// Tasks inherit the task-local values of the caller. To run the closure on an actor, mark it:
  /// `{ @MainActor photo in … }`.
  ///
  /// - Failure: the first error rejects the result at once. The Tasks that still run are cancelled, and the closure is
  ///   not called again. A `CancellationError` cancels the result.
  /// - Cancelling the result, with or without `upstream: true`, also cancels the Tasks. Their values and errors are
  ///   discarded.
  /// - Progress: none until the end.
  ///
  /// - Parameters:
  ///   - elements: a finite sequence of `Sendable` elements.
  ///   - concurrency: how many closures may run at a time. A number below 1 counts as 1.
  ///   - priority: the priority of the Tasks. If it is `nil`, they have the priority of the caller.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - body: returns the value for an element.
  /// - Complexity: O(1) and one Task for each element.
  public static func asyncTraverse<Elements: Sequence & SendableMetatype, Output: Sendable>(
    _ elements: sending Elements, concurrency: Int, priority: TaskPriority? = nil,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Elements.Element) async throws -> Output
  ) -> Promise<[Output]> where Value == [Output], Elements.Element: Sendable {
    asyncTraverse(
      AsyncElements(base: elements), concurrency: concurrency, priority: priority, fileID: fileID, line: line, body)
  }

  /// Calls the async closure for each element of an asynchronous sequence, and returns a promise for the results in the
  /// order of the elements. At most `concurrency` calls run at a time.
  ///
  /// An error of the sequence rejects the result, as an error of the closure does. Everything else is as for
  /// `asyncTraverse(_:concurrency:priority:_:)` of a sequence.
  ///
  /// - Parameters:
  ///   - elements: a sequence that ends, of `Sendable` elements.
  ///   - concurrency: how many closures may run at a time. A number below 1 counts as 1.
  ///   - priority: the priority of the Tasks. If it is `nil`, they have the priority of the caller.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - body: returns the value for an element.
  /// - Complexity: O(1) and one Task for each element.
  @_disfavoredOverload
  public static func asyncTraverse<Elements: AsyncSequence & SendableMetatype, Output: Sendable>(
    _ elements: sending Elements, concurrency: Int, priority: TaskPriority? = nil,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Elements.Element) async throws -> Output
  ) -> Promise<[Output]> where Value == [Output], Elements.Element: Sendable {
    // No user code runs in this context. The Task that reads the sequence creates the other Tasks, which inherit its
    // task-local values.
    let tracing = CapturedContext()
    return collect(elements, concurrency: concurrency, on: InlineContext.shared, priority: priority, fileID, line) {
      element in
      Promise<Output>.task(priority: priority, fileID: fileID, line: line) {
        try await tracing.run(awaiting: { try await body(element) })
      }
    }
  }
}
