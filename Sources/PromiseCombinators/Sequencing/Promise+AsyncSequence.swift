public import PromiseContexts
public import PromiseCore

// The forms for asynchronous sequences are disfavoured overloads: otherwise calls of the forms for sequences, with array literals in long
// chains, take the type checker a multiple of the time (Tests/TypeCheck).

extension Promise {
  /// Calls the closure for each element of an asynchronous sequence, waits for the promises that it returns, at most
  /// `concurrency` at a time, and returns a promise for their values in the order of the elements.
  ///
  /// ```swift
  /// let pages = Promise.traverse(changes, concurrency: 4) { url in server.load(url) }
  /// ```
  ///
  /// An element is asked for only when there is a place for it. Elements that were taken, and whose promises are not settled,
  /// are never more than `concurrency`. So a source that produces on demand is not read ahead.
  ///
  /// A Task of its own reads the sequence, in no actor. It inherits the priority and the task-local values of the caller. The
  /// sequence and its iterator need not be `Sendable`, and are released when the result is settled. Only a sequence that
  /// ignores the cancellation of its Task may keep its iterator until its `next()` has returned. The closure runs on `context`, for
  /// one element at a time and in order, also on contexts where handlers overlap.
  ///
  /// - Empty input: the result is fulfilled with no values.
  /// - Failure: the first error, of the sequence, of a promise or thrown by the closure, rejects the result at once. The Task
  ///   is cancelled, and promises that are still pending are given up with all that they wait for (rule 4.6). A
  ///   `CancellationError` cancels the result.
  /// - Cancelling the result, in either form, does the same.
  /// - Progress: none until the end.
  ///
  /// - Parameters:
  ///   - elements: a sequence that ends. Its elements wait for the closure, so they must be `Sendable`.
  ///   - concurrency: how many elements may be in progress at a time. A number below 1 counts as 1.
  ///   - context: where the closure runs.
  ///   - fileID: where the result was made, for errors and diagnostics.
  ///   - line: the line there.
  ///   - body: begins the work for an element.
  /// - Complexity: O(1) for each element: two promises more than the form for sequences, and a suspension of the Task.
  @_disfavoredOverload
  public static func traverse<Elements: AsyncSequence & SendableMetatype, Output>(
    _ elements: sending Elements, concurrency: Int, on context: any ExecutionContext = .pool,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Elements.Element) throws -> Promise<Output>
  ) -> Promise<[Output]> where Value == [Output], Elements.Element: Sendable {
    collect(elements, concurrency: concurrency, on: context, priority: nil, fileID, line, body)
  }

  /// As `traverse`, of any asynchronous sequence, with a priority for the Task that reads it.
  static func collect<Elements: AsyncSequence & SendableMetatype, Output>(
    _ elements: sending Elements, concurrency: Int, on context: any ExecutionContext, priority: TaskPriority?,
    _ fileID: StaticString, _ line: UInt, _ body: @escaping @Sendable (Elements.Element) throws -> Promise<Output>
  ) -> Promise<[Output]> where Value == [Output], Elements.Element: Sendable {
    let site = CreationSite(fileID: fileID, line: line)
    let outputs = OutputList<Output>()
    return Promise<Void>
      .consume(elements, concurrency: concurrency, on: context, priority: priority, fileID, line, body) {
        outputs.store($0, at: $1)
      }
      .thenOwned(on: InlineContext.shared, at: site) { Promise(value: outputs.all, at: site) }
  }
}

extension Promise where Value == Void {
  /// Calls the closure for each element of an asynchronous sequence, one after another: an element is asked for when the
  /// promise for the one before is fulfilled.
  ///
  /// ```swift
  /// let uploaded = Promise.forEach(newPhotos) { photo in server.upload(photo) }
  /// ```
  ///
  /// How the sequence is read, and what failure and cancellation do, is as for
  /// `traverse(_:concurrency:on:_:)`.
  ///
  /// - Parameters:
  ///   - elements: any asynchronous sequence, also one that never ends.
  ///   - context: where the closure runs.
  ///   - fileID: where the result was made, for errors and diagnostics.
  ///   - line: the line there.
  ///   - body: begins the work for an element.
  /// - Returns: a promise that is fulfilled when the sequence has ended and the last promise is fulfilled.
  /// - Complexity: O(1) for each element. Memory and stack stay flat (rule 3.3).
  @_disfavoredOverload
  public static func forEach<Elements: AsyncSequence & SendableMetatype, Step>(
    _ elements: sending Elements, on context: any ExecutionContext = .pool,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Elements.Element) throws -> Promise<Step>
  ) -> Promise where Elements.Element: Sendable {
    consume(elements, concurrency: 1, on: context, priority: nil, fileID, line, body) { _, _ in }
  }

  /// Reads an asynchronous sequence, and does something with each element.
  ///
  /// - Parameter finish: is given what came of each element, and the element's number. Not user code: it runs inside the call that
  ///   settles the element's promise.
  fileprivate static func consume<Elements: AsyncSequence & SendableMetatype, Output>(
    _ elements: sending Elements, concurrency: Int, on context: any ExecutionContext, priority: TaskPriority?,
    _ fileID: StaticString, _ line: UInt, _ body: @escaping @Sendable (Elements.Element) throws -> Promise<Output>,
    finish: @escaping @Sendable (Output, Int) -> Void
  ) -> Promise where Elements.Element: Sendable {
    let site = CreationSite(fileID: fileID, line: line)
    let reader = AsyncSequenceReader<Elements.Element>(at: site)

    /// Takes elements, one after another, until there are none.
    ///
    /// - Parameter spareWorkers: how many others may be taken beside this one. The first of them is requested when this one has begun.
    @Sendable func runWorker(spareWorkers: Int) -> Promise {
      reader.request().thenOwned(on: context, at: site) { next in
        guard let next else { return Promise(value: (), at: site) }
        let rest = try start(next.element).thenOwned(on: InlineContext.shared, at: site) { output in
          finish(output, next.index)
          return runWorker(spareWorkers: 0)
        }
        return spareWorkers == 0 ? rest : .both(rest, runWorker(spareWorkers: spareWorkers - 1), at: site)
      }
    }

    @Sendable func start(_ element: Elements.Element) throws -> Promise<Output> {
      defer { reader.handlerReturned() }
      return try body(element)
    }

    let workers = runWorker(spareWorkers: max(1, concurrency) - 1)
    let reading = Promise.task(priority: priority, fileID: fileID, line: line) { try await reader.read(elements) }
    return .both(workers, reading, at: site)
  }
}
