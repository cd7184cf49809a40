public import PromiseCore

extension Promise {
  /// Calls the async closure for each element of a sequence, at most `concurrency` at a time, and returns a promise for the
  /// results in the order of the elements.
  ///
  /// ```swift
  /// let thumbnails = Promise.asyncTraverse(photos, concurrency: 4) { photo in try await render(photo) }
  /// ```
  ///
  /// As `traverse(_:concurrency:on:_:)`, but the closure needs no context: each call is a
  /// Task of its own. One more Task reads the sequence, an element when there is a place for it. These Tasks inherit
  /// the task-local values of the caller. To run on an actor, mark the closure: `{ @MainActor photo in … }`.
  ///
  /// - Failure: the first error rejects the result at once. The Tasks that are still running are cancelled, and the closure is not called
  ///   again. A `CancellationError` cancels the result.
  /// - Cancelling the result, in either form, does the same. What the closures return or throw then is discarded.
  /// - Progress: none until the end.
  ///
  /// - Parameters:
  ///   - elements: any finite sequence of `Sendable` elements.
  ///   - concurrency: how many closures may run at a time. A number below 1 counts as 1.
  ///   - priority: that of the Tasks; `nil`: the caller's.
  ///   - fileID: where the result was made, for errors and diagnostics.
  ///   - line: the line there.
  ///   - body: makes the value for an element.
  /// - Complexity: O(1) for each element, and a Task.
  public static func asyncTraverse<Elements: Sequence & SendableMetatype, Output: Sendable>(
    _ elements: sending Elements, concurrency: Int, priority: TaskPriority? = nil,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Elements.Element) async throws -> Output
  ) -> Promise<[Output]> where Value == [Output], Elements.Element: Sendable {
    asyncTraverse(
      AsyncElements(base: elements), concurrency: concurrency, priority: priority, fileID: fileID, line: line, body)
  }

  /// Calls the async closure for each element of an asynchronous sequence, at most `concurrency` at a time, and returns a
  /// promise for the results in the order of the elements.
  ///
  /// As `asyncTraverse(_:concurrency:priority:_:)`. An element is asked for only when there is a
  /// place for it. An error of the sequence rejects the result, as an error of a closure does.
  ///
  /// - Parameters:
  ///   - elements: a sequence that ends, of `Sendable` elements.
  ///   - concurrency: how many closures may run at a time. A number below 1 counts as 1.
  ///   - priority: that of the Tasks; `nil`: the caller's.
  ///   - fileID: where the result was made, for errors and diagnostics.
  ///   - line: the line there.
  ///   - body: makes the value for an element.
  /// - Complexity: O(1) for each element, and a Task.
  @_disfavoredOverload
  public static func asyncTraverse<Elements: AsyncSequence & SendableMetatype, Output: Sendable>(
    _ elements: sending Elements, concurrency: Int, priority: TaskPriority? = nil,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Elements.Element) async throws -> Output
  ) -> Promise<[Output]> where Value == [Output], Elements.Element: Sendable {
    // No user code runs in this context: the Task that reads makes the others here, which inherit its task-local values.
    collect(elements, concurrency: concurrency, on: InlineContext.shared, priority: priority, fileID, line) { element in
      Promise<Output>.task(priority: priority, fileID: fileID, line: line) { try await body(element) }
    }
  }
}
