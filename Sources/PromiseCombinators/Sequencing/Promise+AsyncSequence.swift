public import PromiseContexts
public import PromiseCore

// The methods for asynchronous sequences are disfavoured overloads. Otherwise the type checker needs a multiple of the
// time for calls of the methods for sequences, if they have array literals and stand in long chains (Tests/TypeCheck).

extension Promise {
  /// Calls the closure for each element of an asynchronous sequence, and returns a promise for the values of the
  /// promises that the closure returns, in the order of the elements. At most `concurrency` of these promises are
  /// pending at a time.
  ///
  /// ```swift
  /// let pages = Promise.traverse(changes, concurrency: 4) { url in server.load(url) }
  /// ```
  ///
  /// An element is read only when fewer than `concurrency` promises are pending. So a sequence that produces its
  /// elements on demand is not read ahead.
  ///
  /// A separate Task reads the sequence, in no actor. It inherits the priority and the task-local values of the caller.
  /// The sequence and its iterator need not be `Sendable`, and are released when the result is settled. Only a sequence
  /// that ignores the cancellation of its Task keeps its iterator until its `next()` has returned. The closure runs on
  /// `context`, for one element at a time and in order, even on contexts where handlers overlap.
  ///
  /// - Empty input: the result is fulfilled with no values.
  /// - Failure: the first error of the sequence, of a promise or of the closure rejects the result at once. The Task is
  ///   cancelled, and promises that are still pending are given up with everything that they wait for (rule 4.6). A
  ///   `CancellationError` cancels the result.
  /// - Cancelling the result, with or without `upstream: true`, also cancels the Task and gives up the pending
  ///   promises.
  /// - Progress: none until the end.
  ///
  /// - Parameters:
  ///   - elements: a sequence that ends. Its elements wait for the closure, so they must be `Sendable`.
  ///   - concurrency: how many elements may be in progress at a time. A number below 1 counts as 1.
  ///   - end: when an element makes room for the next: when its promise is settled, or when the work behind it has
  ///     finished, too (rule 2.11).
  ///   - context: where the closure runs.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - body: begins the work for an element.
  /// - Complexity: O(1) for each element. It needs two more promises than the method for sequences, and a suspension of
  ///   the Task.
  @_disfavoredOverload
  public static func traverse<Elements: AsyncSequence & SendableMetatype, Output>(
    _ elements: sending Elements, concurrency: Int, until end: WorkEnd = .settled,
    on context: any ExecutionContext = .pool,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Elements.Element) throws -> Promise<Output>
  ) -> Promise<[Output]> where Value == [Output], Elements.Element: Sendable {
    collect(elements, concurrency: concurrency, until: end, on: context, priority: nil, fileID, line, body)
  }

  /// Collects the values for the elements of an asynchronous sequence, as `traverse` does.
  ///
  /// - Parameter priority: the priority of the Task that reads the sequence.
  static func collect<Elements: AsyncSequence & SendableMetatype, Output>(
    _ elements: sending Elements, concurrency: Int, until end: WorkEnd = .settled, on context: any ExecutionContext,
    priority: TaskPriority?, _ fileID: StaticString, _ line: UInt,
    _ body: @escaping @Sendable (Elements.Element) throws -> Promise<Output>
  ) -> Promise<[Output]> where Value == [Output], Elements.Element: Sendable {
    let site = CreationSite(fileID: fileID, line: line)
    let outputs = OutputList<Output>()
    return Promise<Void>
      .consume(elements, concurrency: concurrency, until: end, on: context, priority: priority, fileID, line, body) {
        outputs.store($0, at: $1)
      }
      .thenOwned(on: InlineContext.shared, by: .traverse, at: site) { Promise(value: outputs.all, at: site) }
  }
}

extension Promise where Value == Void {
  /// Calls the closure for each element of an asynchronous sequence, one after another. The next element is read when
  /// the promise for the element before it is fulfilled.
  ///
  /// ```swift
  /// let uploaded = Promise.forEach(newPhotos) { photo in server.upload(photo) }
  /// ```
  ///
  /// The sequence is read as by `traverse(_:concurrency:until:on:_:)`. Failure and cancellation are also the same.
  ///
  /// - Parameters:
  ///   - elements: an asynchronous sequence, which may be infinite.
  ///   - context: where the closure runs.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - body: begins the work for an element.
  /// - Returns: a promise that is fulfilled when the sequence has ended and the last promise is fulfilled.
  /// - Complexity: O(1) for each element. The use of memory and stack does not grow with their number (rule 3.3).
  @_disfavoredOverload
  public static func forEach<Elements: AsyncSequence & SendableMetatype, Step>(
    _ elements: sending Elements, on context: any ExecutionContext = .pool,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Elements.Element) throws -> Promise<Step>
  ) -> Promise where Elements.Element: Sendable {
    consume(elements, concurrency: 1, until: .settled, on: context, priority: nil, fileID, line, body) { _, _ in }
  }

  /// Calls `body` for each element of an asynchronous sequence, and `finish` for each value.
  ///
  /// - Parameter finish: gets the value for an element, and the index of the element. It must not be user code, because
  ///   it runs inside the call that settles the promise for the element.
  fileprivate static func consume<Elements: AsyncSequence & SendableMetatype, Output>(
    _ elements: sending Elements, concurrency: Int, until end: WorkEnd, on context: any ExecutionContext,
    priority: TaskPriority?, _ fileID: StaticString, _ line: UInt,
    _ body: @escaping @Sendable (Elements.Element) throws -> Promise<Output>,
    finish: @escaping @Sendable (Output, Int) -> Void
  ) -> Promise where Elements.Element: Sendable {
    let site = CreationSite(fileID: fileID, line: line)
    let result = Promise(pendingAt: site)
    let reader = AsyncSequenceReader<Elements.Element>(for: result, at: site)
    let slots = end == .finished ? WorkSlots(max(1, concurrency), at: site) : nil
    if let slots { result.whenSettled { slots.end() } }

    /// Processes elements one after another, until there are none.
    ///
    /// - Parameter spareWorkers: the number of workers that may be started beside this one. The first of them is
    ///   started when this one has an element.
    @Sendable func runWorker(spareWorkers: Int) -> Promise {
      reader.request().thenOwned(on: context, by: .traverse, at: site) { next in
        guard let next else { return Promise(value: (), at: site) }
        // The reader reads no further element before the closure is called for this one.
        guard let slot = slots?.take() else {
          return try process(next.element, next.index, spareWorkers: spareWorkers)
        }
        return slot.thenOwned(on: context, by: .traverse, at: site) {
          _ = slots?.take()
          return try process(next.element, next.index, spareWorkers: spareWorkers)
        }
      }
    }

    @Sendable func process(_ element: Elements.Element, _ index: Int, spareWorkers: Int) throws -> Promise {
      let output = try start(element)
      // Attached first, so that the slot is free when the worker goes on.
      slots?.keep(for: output, in: result)
      let rest = output.thenStep(on: InlineContext.shared, by: .traverse, at: site) { output in
        finish(output, index)
        return runWorker(spareWorkers: 0)
      }
      if spareWorkers == 0 { return rest }
      return .both(rest, runWorker(spareWorkers: spareWorkers - 1), into: Promise(pendingAt: site))
    }

    @Sendable func start(_ element: Elements.Element) throws -> Promise<Output> {
      try result.checkIsLooping()
      let output = try body(element)
      // Not if the closure has thrown, because it is not called for the remaining elements then.
      reader.handlerReturned()
      return output
    }

    let workers = runWorker(spareWorkers: max(1, concurrency) - 1)
    let reading = Promise.task(priority: priority, fileID: fileID, line: line) { try await reader.read(elements) }
    reader.task.begin(reading)
    return .both(workers, reading, into: result)
  }
}
