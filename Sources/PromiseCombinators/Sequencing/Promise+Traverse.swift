public import PromiseContexts
public import PromiseCore

extension Promise {
  /// Calls the closure for each element of a sequence, and waits for the promises that it returns, so many at a time;
  /// their values, in the order of the elements (reference row E11; nothing of the kind in the three libraries).
  ///
  /// ```swift
  /// let pages = Promise.traverse(urls, concurrency: 4) { url in server.load(url) }
  /// ```
  ///
  /// - Empty input: fulfilled, with no values.
  /// - Failure: rejected with the first error in time, thrown or of a promise, cancelled if that was. The closure is
  ///   not called for the rest, and promises that are not settled yet are given up, with all that they wait for
  ///   (rule 4.6).
  /// - Cancelling the result ends it in the same way.
  /// - Progress: none until it ends; a sequence does not say how long it is.
  ///
  /// An element is asked for when there is a place for it, so the sequence may be made as it is read, and may be longer
  /// than what fits into memory, though the values must. The sequence is read, and the closure called, for one element
  /// at a time, in order, also on contexts where handlers overlap.
  ///
  /// The sequence is read on `context`, so it must not call closures of an actor. Arrays, sets, dictionaries, ranges, and
  /// lazy views whose closures are `@Sendable` can be passed from anywhere. Other lazy views, `AnySequence` and
  /// `sequence(first:next:)` do not compile in code of an actor, the last nowhere: pass `Array(…)`, or a sequence type of
  /// your own that is `Sendable`.
  ///
  /// - Parameters:
  ///   - elements: any finite sequence.
  ///   - concurrency: how many promises may be pending at a time. Less than 1 counts as 1.
  ///   - context: where the closure runs and the sequence is read.
  ///   - fileID: where the result was made, for errors and diagnostics.
  ///   - line: the line there.
  ///   - body: begins what is to be done with an element.
  /// - Complexity: O(1) for each element.
  public static func traverse<Elements: Sequence & SendableMetatype, Output>(
    _ elements: sending Elements, concurrency: Int, on context: any ExecutionContext = .pool,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Elements.Element) throws -> Promise<Output>
  ) -> Promise<[Output]> where Value == [Output] {
    let site = CreationSite(fileID: fileID, line: line)
    let state = TraversalState<Elements, Output>(elements)

    /// Takes elements, one after another, until there are none.
    ///
    /// - Parameter spareWorkers: how many others may be started beside this one. The first is when there is an element for this one.
    @Sendable func runWorker(spareWorkers: Int) throws -> Promise<Void> {
      guard let turn = state.acquireTurn(at: site) else { return try processNext(spareWorkers: spareWorkers) }
      return turn.thenOwned(on: context, at: site) { try processNext(spareWorkers: spareWorkers) }
    }

    @Sendable func processNext(spareWorkers: Int) throws -> Promise<Void> {
      defer { state.releaseTurn() }
      guard let (index, element) = state.next() else { return Promise<Void>(value: (), at: site) }
      let rest = try body(element).thenOwned(on: context, at: site) { value in
        state.store(value, at: index)
        return try runWorker(spareWorkers: 0)
      }
      if spareWorkers == 0 { return rest }
      let others = Promise<Void>.startOwned(on: context, at: site) { try runWorker(spareWorkers: spareWorkers - 1) }
      return .both(rest, others, at: site)
    }

    return Promise<Void>.startOwned(on: context, at: site) { try runWorker(spareWorkers: max(1, concurrency) - 1) }
      .thenOwned(on: InlineContext.shared, at: site) { Promise(value: state.values, at: site) }
  }
}

extension Promise where Value == Void {
  /// Both are done. They belong to the result, and with the first error of one the other is not needed any more.
  static func both(_ one: Promise, _ other: Promise, at site: CreationSite) -> Promise {
    let result = Promise(pendingAt: site)
    Combination.make(result, from: [one, other], owning: true, measuring: .none) { input, isLast in
      if result.claim(errorOf: input) { return .settleAndGiveUpOthers }
      return isLast && result.claim(value: ()) ? .settle : .wait
    }
    return result
  }
}
