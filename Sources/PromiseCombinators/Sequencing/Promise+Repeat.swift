public import PromiseContexts
public import PromiseCore

extension Promise where Value == Void {
  /// Calls the closure, waits until the promise that it returned is fulfilled, and calls it again, until it returns `nil`.
  ///
  /// ```swift
  /// let copied = Promise.repeat {
  ///   guard let block = try source.nextBlock() else { return nil }
  ///   return target.write(block)
  /// }
  /// ```
  ///
  /// The promises may be of any types. Their values are ignored.
  ///
  /// - Failure: rejected with the first error, thrown or of a promise, cancelled if that was; the closure is not called again.
  /// - Cancelling the result ends the loop, in either form, and gives up the promise that it waits for (rule 4.6).
  /// - Progress: none until it ends, because the number of steps is not known.
  ///
  /// Memory and stack stay flat, however often the closure is called (rule 3.3).
  ///
  /// - Parameters:
  ///   - context: where the closure runs, the first time too.
  ///   - fileID: where the result was made, for errors and diagnostics.
  ///   - line: the line there.
  ///   - body: starts the next step, or returns `nil` if there is none.
  /// - Complexity: O(1) for each step.
  public static func `repeat`(
    on context: any ExecutionContext = .pool, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> AnyPromise?
  ) -> Promise {
    let site = CreationSite(fileID: fileID, line: line)
    @Sendable func step() throws -> Promise {
      guard let next = try body() else { return Promise(value: (), at: site) }
      return next.thenOwned(on: context, at: site) { try step() }
    }
    return startOwned(on: context, at: site, step)
  }

  /// Calls the closure for each element of a sequence, one after another: the next when the promise for the one before
  /// is fulfilled (reference rows E8 and E11; RXPromise's `sequence`).
  ///
  /// ```swift
  /// let uploaded = Promise.forEach(photos) { photo in server.upload(photo) }
  /// ```
  ///
  /// - Empty input: fulfilled.
  /// - Failure: rejected with the first error, thrown or of a promise, cancelled if that was; the closure is not called
  ///   for the rest.
  /// - Cancelling the result ends the loop, in either form, and gives up the promise that it waits for
  ///   (rule 4.6).
  /// - Progress: none until it ends; a sequence does not say how long it is.
  ///
  /// An element is asked for when its turn comes. Flat in memory and stack (rule 3.3).
  ///
  /// The sequence is read on `context`, so it must not call closures of an actor. Arrays, sets, dictionaries, ranges, and
  /// lazy views whose closures are `@Sendable` can be passed from anywhere. Other lazy views, `AnySequence` and
  /// `sequence(first:next:)` do not compile in code of an actor, the last nowhere: pass `Array(…)`, or a sequence type of
  /// your own that is `Sendable`.
  ///
  /// - Parameters:
  ///   - elements: any sequence, also an endless one.
  ///   - context: where the closure runs and the sequence is read.
  ///   - fileID: where the result was made, for errors and diagnostics.
  ///   - line: the line there.
  ///   - body: what is to be done with an element.
  /// - Complexity: O(1) for each element.
  public static func forEach<Elements: Sequence & SendableMetatype, Step>(
    _ elements: sending Elements, on context: any ExecutionContext = .pool,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Elements.Element) throws -> Promise<Step>
  ) -> Promise {
    let iterator = IteratorBox(elements)
    return .repeat(on: context, fileID: fileID, line: line) { try iterator.next().map { try body($0) } }
  }
}
