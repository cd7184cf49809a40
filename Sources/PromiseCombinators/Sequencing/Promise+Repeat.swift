public import PromiseContexts
public import PromiseCore

extension Promise where Value == Void {
  /// Calls the closure, waits until the promise that it returned is fulfilled, and calls it again, until it returns
  /// `nil`.
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
  /// - Failure: the result is rejected with the first error that the closure throws, or that one of its promises has.
  ///   It is cancelled if that promise was cancelled. The closure is not called again.
  /// - Cancelling the result, with or without `upstream: true`, ends the loop, and gives up the promise that it waits
  ///   for (rule 4.6).
  /// - Progress: none until the end, because the number of steps is not known.
  ///
  /// The use of memory and stack does not grow with the number of calls (rule 3.3).
  ///
  /// - Parameters:
  ///   - context: where the closure runs, including the first call.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - body: begins the next step, or returns `nil` if there is none.
  /// - Complexity: O(1) for each step.
  public static func `repeat`(
    on context: any ExecutionContext = .pool, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> AnyPromise?
  ) -> Promise {
    repeated(by: .repeat, on: context, at: CreationSite(fileID: fileID, line: line), body)
  }

  /// Calls the closure repeatedly as the `repeat` with `on:` does, but on the actor. The closure receives the actor.
  ///
  /// This form is written by hand, because its promises have one type.
  public static func `repeat`<A: Actor, Step>(
    isolatedTo actor: A, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (isolated A) throws -> Promise<Step>?
  ) -> Promise {
    `repeat`(on: ActorContext(actor), fileID: fileID, line: line) { try actor.assumeIsolated(body) }
  }

  private static func repeated(
    by operation: Operation, on context: any ExecutionContext, at site: CreationSite,
    _ body: @escaping @Sendable () throws -> AnyPromise?
  ) -> Promise {
    @Sendable func step(of loop: AnyPromise) throws -> Promise {
      try loop.checkIsLooping()
      guard let next = try body() else { return Promise(value: (), at: site) }
      return next.thenStep(on: context, by: operation, at: site) { try step(of: loop) }
    }
    return startLoop(on: context, by: operation, at: site, step)
  }

  /// Calls the closure for each element of a sequence, one after another. The closure is called for the next element
  /// when the promise for the element before it is fulfilled.
  ///
  /// ```swift
  /// let uploaded = Promise.forEach(photos) { photo in server.upload(photo) }
  /// ```
  ///
  /// - Empty input: the result is fulfilled.
  /// - Failure: the result is rejected with the first error that the closure throws, or that one of its promises has.
  ///   It is cancelled if that promise was cancelled. The closure is not called for the remaining elements.
  /// - Cancelling the result, with or without `upstream: true`, ends the loop, and gives up the promise that it waits
  ///   for (rule 4.6).
  /// - Progress: none until the end, because the length of a sequence is not known.
  ///
  /// Each element is read when the closure is about to be called for it. The use of memory and stack does not grow with
  /// the number of elements (rule 3.3).
  ///
  /// The sequence is read on `context`, so it must not call closures of an actor. Arrays, sets, dictionaries, ranges,
  /// and lazy views whose closures are `@Sendable` can be passed from any code. Other lazy views do not compile in code
  /// of an actor, even inside an `AnySequence`. The result of `sequence(first:next:)`, and what `prefix`, `lazy` and
  /// similar methods make of it, compile in no code. The compiler does not notice such a result in an `AnySequence`, in
  /// a collection, or as the second sequence of `zip`. Pass `Array(…)` instead, or a sequence type of your own that is
  /// `Sendable`.
  ///
  /// - Parameters:
  ///   - elements: a sequence, which may be infinite.
  ///   - context: where the closure runs and the sequence is read.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - body: begins the work for an element.
  /// - Complexity: O(1) for each element.
  public static func forEach<Elements: Sequence & SendableMetatype, Step>(
    _ elements: sending Elements, on context: any ExecutionContext = .pool,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Elements.Element) throws -> Promise<Step>
  ) -> Promise {
    let iterator = IteratorBox(elements)
    let site = CreationSite(fileID: fileID, line: line)
    return repeated(by: .forEach, on: context, at: site) { try iterator.next().map { try body($0) } }
  }
}
