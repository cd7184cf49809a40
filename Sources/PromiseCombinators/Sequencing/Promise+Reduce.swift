public import PromiseContexts
public import PromiseCore

extension Promise {
  /// Combines this promise's value with each element of a sequence, one after another: the next when the promise for
  /// the one before is fulfilled (reference row D19).
  ///
  /// ```swift
  /// let size = Promise.fulfilled(0).reduce(urls) { sum, url in load(url).map { page in sum + page.size } }
  /// ```
  ///
  /// - Empty input: the value of this promise.
  /// - Failure: rejected with the first error, thrown or of a promise, cancelled if that was; the closure is not called
  ///   for the rest.
  /// - Cancelling the result ends the loop, in either form, and gives up the promise that it waits for
  ///   (rule 4.6); this promise is left alone.
  ///
  /// The sequence is read on `context`, so it must not call closures of an actor. Arrays, sets, dictionaries, ranges, and
  /// lazy views whose closures are `@Sendable` can be passed from anywhere. Other lazy views, `AnySequence` and
  /// `sequence(first:next:)` do not compile in code of an actor, the last nowhere: pass `Array(…)`, or a sequence type of
  /// your own that is `Sendable`.
  ///
  /// - Parameters:
  ///   - elements: any finite sequence. An element is asked for when its turn comes.
  ///   - context: where the closure runs and the sequence is read.
  ///   - fileID: where the result was made, for errors and diagnostics.
  ///   - line: the line there.
  ///   - combine: makes the next value.
  /// - Complexity: O(1) for each element.
  public func reduce<Elements: Sequence & SendableMetatype>(
    _ elements: sending Elements, on context: any ExecutionContext = .pool,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ combine: @escaping @Sendable (Value, Elements.Element) throws -> Promise
  ) -> Promise {
    let site = CreationSite(fileID: fileID, line: line)
    let iterator = IteratorBox(elements)
    @Sendable func step(_ value: Value) throws -> Promise {
      guard let element = iterator.next() else { return Promise(value: value, at: site) }
      return try combine(value, element).thenOwned(on: context, at: site, step)
    }
    return then(on: context, fileID: fileID, line: line, step)
  }

  /// A value, changed by one function after another: the next when the promise of the one before is fulfilled
  /// (reference row D18; OMPromises' `chain:initial:`).
  ///
  /// ```swift
  /// let picture = Promise.chain(raw, [denoise, sharpen, compress])
  /// ```
  ///
  /// - Empty input: the initial value.
  /// - Failure: rejected with the first error, thrown or of a promise, cancelled if that was; the functions after that
  ///   are not called.
  /// - Cancelling the result ends the chain, in either form, and gives up the promise that it waits for
  ///   (rule 4.6).
  /// - Progress: each function has the same share, and fills it as its promise does (reference row J5).
  ///
  /// - Parameters:
  ///   - initial: what the first function gets.
  ///   - links: the functions, in their order.
  ///   - context: where they run, the first too.
  ///   - fileID: where the result was made, for errors and diagnostics.
  ///   - line: the line there.
  /// - Complexity: O(*n*): a link for each function.
  public static func chain(
    _ initial: Value, _ links: [@Sendable (Value) throws -> Promise], on context: any ExecutionContext = .pool,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    let site = CreationSite(fileID: fileID, line: line)
    guard let first = links.first else { return Promise(value: initial, at: site) }
    return links.dropFirst().reduce(startOwned(on: context, at: site) { try first(initial) }) { promise, link in
      promise.thenOwned(on: context, at: site, weight: 1, link)
    }
  }

  /// The value of the promise that this one has as its value: one promise in place of two (reference row D17).
  ///
  /// ```swift
  /// let chosen: Promise<Promise<Page>> = choice.map { url in load(url) }
  /// let page: Promise<Page> = chosen.join()
  /// ```
  ///
  /// Rejected as the one or the other is. Cancelled, it leaves the inner one, which is cancelled if nobody else wants
  /// it (rule 4.4).
  ///
  /// - Complexity: as ``/PromiseCore/Deferred/follow(_:)``.
  public func join<Inner>(fileID: StaticString = #fileID, line: UInt = #line) -> Promise<Inner>
  where Value == Promise<Inner> {
    then(on: InlineContext.shared, fileID: fileID, line: line) { $0 }
  }

  /// Lets an owner's promise become what this one becomes (reference rows C7 and L1): `deferred.follow(promise)`, seen
  /// from the other side.
  ///
  /// ```swift
  /// load(url).relay(to: answer)
  /// ```
  ///
  /// - Returns: this promise.
  @discardableResult
  public func relay(to deferred: Deferred<Value>) -> Promise {
    deferred.follow(self)
    return self
  }
}
