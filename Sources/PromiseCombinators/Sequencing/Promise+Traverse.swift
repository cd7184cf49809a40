public import PromiseContexts
public import PromiseCore

extension Promise {
  /// Calls the closure for each element of a sequence, and returns a promise for the values of the promises that the
  /// closure returns, in the order of the elements. At most `concurrency` of these promises are pending at a time.
  ///
  /// ```swift
  /// let pages = Promise.traverse(urls, concurrency: 4) { url in server.load(url) }
  /// ```
  ///
  /// - Empty input: the result is fulfilled with no values.
  /// - Failure: the result is rejected with the error that came first, whether the closure threw it or a promise has
  ///   it. It is cancelled if that promise was cancelled. The closure is not called for the remaining elements.
  ///   Promises that are still pending are given up, with everything that they wait for (rule 4.6).
  /// - Cancelling the result also ends the calls, and gives up the pending promises.
  /// - Progress: none until the end, because the length of a sequence is not known.
  ///
  /// An element is read only when fewer than `concurrency` promises are pending. So the sequence may produce its
  /// elements on demand, and only the values must fit into memory. The sequence is read, and the closure is called, for
  /// one element at a time and in order, even on contexts where handlers overlap.
  ///
  /// The sequence is read on `context`, so it must not call closures of an actor. Arrays, sets, dictionaries, ranges,
  /// and lazy views whose closures are `@Sendable` can be passed from any code. Other lazy views do not compile in code
  /// of an actor, even inside an `AnySequence`. The result of `sequence(first:next:)`, and what `prefix`, `lazy` and
  /// similar methods make of it, compile in no code. The compiler does not notice such a result in an `AnySequence`, in
  /// a collection, or as the second sequence of `zip`. Pass `Array(…)` instead, or a sequence type of your own that is
  /// `Sendable`.
  ///
  /// - Parameters:
  ///   - elements: a finite sequence.
  ///   - concurrency: how many promises may be pending at a time. A number below 1 counts as 1.
  ///   - end: when an element makes room for the next: when its promise is settled, or when the work behind it has
  ///     finished, too (rule 2.11). With `.finished`, at most `concurrency` elements have work that runs, also after a
  ///     limit on an element has expired. The result settles when the promises are settled, in any case.
  ///   - context: where the closure runs and the sequence is read.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - body: begins the work for an element.
  /// - Complexity: O(1) for each element.
  public static func traverse<Elements: Sequence & SendableMetatype, Output>(
    _ elements: sending Elements, concurrency: Int, until end: WorkEnd = .settled,
    on context: any ExecutionContext = .pool,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Elements.Element) throws -> Promise<Output>
  ) -> Promise<[Output]> where Value == [Output] {
    let site = CreationSite(fileID: fileID, line: line)
    let slots = end == .finished ? WorkSlots(max(1, concurrency), at: site) : nil
    let state = TraversalState<Elements, Output>(elements, slots, at: site)

    /// Waits for the turn, and processes elements one after another until there are none.
    ///
    /// - Parameter spareWorkers: the number of workers that may be started beside this one. The first of them is
    ///   started when this one has an element.
    @Sendable func runWorker(spareWorkers: Int, of loop: AnyPromise) throws -> Promise<Void> {
      guard let turn = state.acquireTurn() else { return try processNext(spareWorkers: spareWorkers, of: loop) }
      return turn.thenOwned(on: context, by: .traverse, at: site) {
        try processNext(spareWorkers: spareWorkers, of: loop)
      }
    }

    @Sendable func processNext(spareWorkers: Int, of loop: AnyPromise) throws -> Promise<Void> {
      var keepsTurn = false
      defer { if !keepsTurn { state.releaseTurn() } }
      try loop.checkIsLooping()
      guard let next = state.next() else { return Promise<Void>(value: (), at: site) }
      if let slot = slots?.take() {
        // The closure is called in the order of the elements, so the others wait, too.
        keepsTurn = true
        state.putBack(next)
        return slot.thenOwned(on: context, by: .traverse, at: site) {
          try processNext(spareWorkers: spareWorkers, of: loop)
        }
      }
      let output: Promise<Output>
      do { output = try body(next.element) } catch {
        // Before another worker gets the turn.
        state.end()
        throw error
      }
      // Attached first, so that the slot is free when the worker goes on.
      slots?.keep(for: output, in: loop)
      let index = next.index
      let rest = output.thenStep(on: context, by: .traverse, at: site) { value in
        state.store(value, at: index)
        return try runWorker(spareWorkers: 0, of: loop)
      }
      if spareWorkers == 0 { return rest }
      let others = Promise<Void>.startOwned(on: context, by: .traverse, at: site) {
        try runWorker(spareWorkers: spareWorkers - 1, of: loop)
      }
      return .both(rest, others, into: Promise<Void>(pendingAt: site))
    }

    let loop = Promise<Void>.startLoop(on: context, by: .traverse, at: site) {
      try runWorker(spareWorkers: max(1, concurrency) - 1, of: $0)
    }
    if let slots { loop.whenSettled { slots.end() } }
    return loop.thenOwned(on: InlineContext.shared, by: .traverse, at: site) { Promise(value: state.values, at: site) }
  }
}

extension Promise where Value == Void {
  /// Makes a new promise the result of two promises, and returns it. It is fulfilled when both are fulfilled.
  ///
  /// The result owns both of them: if one is rejected, the other is given up.
  static func both(_ one: Promise, _ other: Promise, into result: Promise) -> Promise {
    Combination.make(result, from: [one, other], by: .traverse, needing: 2, owning: true, measuring: .none) {
      input, isLast in
      if input.isRejected { return .settle(input.outcomeOfInput, givingUpOthers: true) }
      return isLast ? .settle(Promise.outcome(())) : .wait
    }
    return result
  }
}
