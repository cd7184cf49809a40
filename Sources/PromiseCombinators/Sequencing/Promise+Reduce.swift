public import PromiseContexts
public import PromiseCore

extension Promise {
  /// Combines the value of this promise with each element of a sequence, one after another. The closure is called for
  /// the next element when the promise for the element before it is fulfilled.
  ///
  /// ```swift
  /// let size = Promise.fulfilled(0).reduce(urls) { sum, url in load(url).map { page in sum + page.size } }
  /// ```
  ///
  /// - Empty input: the result has the value of this promise.
  /// - Failure: the result is rejected with the first error that the closure throws, or that one of its promises has.
  ///   It is cancelled if that promise was cancelled. The closure is not called for the remaining elements.
  /// - Cancelling the result, with or without `upstream: true`, ends the loop, and gives up the promise that it waits
  ///   for (rule 4.6). `cancel()` does not affect this promise. `cancel(upstream: true)` gives it up if it is still
  ///   pending.
  ///
  /// The sequence is read on `context`, so it must not call closures of an actor. Arrays, sets, dictionaries, ranges,
  /// and lazy views whose closures are `@Sendable` can be passed from any code. Other lazy views do not compile in code
  /// of an actor, even inside an `AnySequence`. The result of `sequence(first:next:)`, and what `prefix`, `lazy` and
  /// similar methods make of it, compile in no code. The compiler does not notice such a result in an `AnySequence`, in
  /// a collection, or as the second sequence of `zip`. Pass `Array(…)` instead, or a sequence type of your own that is
  /// `Sendable`.
  ///
  /// - Parameters:
  ///   - elements: a finite sequence. Each element is read when the closure is about to be called for it.
  ///   - context: where the closure runs and the sequence is read.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - combine: returns a promise for the next value.
  /// - Complexity: O(1) for each element.
  public func reduce<Elements: Sequence & SendableMetatype>(
    _ elements: sending Elements, on context: any ExecutionContext = .pool,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ combine: @escaping @Sendable (Value, Elements.Element) throws -> Promise
  ) -> Promise {
    let site = CreationSite(fileID: fileID, line: line)
    return thenLoop(
      on: context, by: .reduce, at: site, weight: 1, Self.step(through: elements, on: context, at: site, combine))
  }

  /// Returns the function that does a step of `reduce`. It gets the value so far, and the result of the loop.
  private static func step<Elements: Sequence & SendableMetatype>(
    through elements: sending Elements, on context: any ExecutionContext, at site: CreationSite,
    _ combine: @escaping @Sendable (Value, Elements.Element) throws -> Promise
  ) -> @Sendable (Value, AnyPromise) throws -> Promise {
    let iterator = IteratorBox(elements)
    @Sendable func step(_ value: Value, of loop: AnyPromise) throws -> Promise {
      try loop.checkIsLooping()
      guard let element = iterator.next() else { return Promise(value: value, at: site) }
      return try combine(value, element).thenStep(on: context, by: .reduce, at: site) { try step($0, of: loop) }
    }
    return step
  }

  /// Combines the values of several promises, one after another, in the order of the promises. There is no initial
  /// value. The first call of the closure gets the values of the first two promises.
  ///
  /// ```swift
  /// let book = Promise.reduce(all: chapters) { book, chapter in binder.append(chapter, to: book) }
  /// ```
  ///
  /// The closure is called for the first time when all promises are fulfilled. So an error of a late promise ends the
  /// result before work for the early ones begins. To combine elements that are no promises yet, use the `reduce` of a
  /// promise for the initial value.
  ///
  /// - Empty input: the result is rejected with ``/PromiseCore/PromiseError/emptyInput(createdAt:)``.
  /// - One promise: the result has its value, and the closure is not called.
  /// - Failure: if a promise is rejected, the result is rejected with its error at once, and gives up the other
  ///   promises. Their errors count as handled. If the closure throws, or one of its promises is rejected, the result
  ///   is rejected with that error, and the closure is not called again. The result is cancelled if the promise was
  ///   (rule 1.2).
  /// - Cancelling the result, with or without `upstream: true`, gives up the promise of the closure (rule 4.6).
  ///   `cancel()` leaves the inputs alone. ``/PromiseCore/AnyPromise/cancel(reason:upstream:)`` with `upstream: true`
  ///   gives up those that are pending.
  /// - Progress: the mean of the progress of the inputs. The promises of the closure have no share.
  ///
  /// - Parameters:
  ///   - promises: the inputs.
  ///   - context: where the closure runs.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  ///   - combine: returns a promise for the value so far and the next value.
  /// - Complexity: O(*n*), where *n* is the number of promises.
  public static func reduce(
    all promises: [Promise], on context: any ExecutionContext = .pool,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ combine: @escaping @Sendable (Value, Value) throws -> Promise
  ) -> Promise {
    let site = CreationSite(fileID: fileID, line: line)
    if promises.isEmpty { return Promise(pendingAt: site).rejecting(.emptyInput(createdAt: site)) }
    let values: Promise<[Value]> = .all(promises, onRejection: .cancelRemaining, fileID: fileID, line: line)
    return values.thenLoop(on: context, by: .reduce, at: site, weight: 0) { values, loop in
      try step(through: values.dropFirst(), on: context, at: site, combine)(values[0], loop)
    }
  }

  /// Transforms a value by functions, one after another. Each function gets the value of the promise that the function
  /// before it has returned.
  ///
  /// ```swift
  /// let picture = Promise.chain(raw, [denoise, sharpen, compress])
  /// ```
  ///
  /// - Empty input: the result has the initial value.
  /// - Failure: the result is rejected with the first error that a function throws, or that its promise has. It is
  ///   cancelled if that promise was cancelled. The remaining functions are not called.
  /// - Cancelling the result, with or without `upstream: true`, ends the chain, and gives up the promise that it waits
  ///   for (rule 4.6).
  /// - Progress: all functions have the same share of it. The progress of its promise fills the share of a function.
  ///
  /// - Parameters:
  ///   - initial: the value that the first function gets.
  ///   - links: the functions, in order.
  ///   - context: where the functions run, including the first one.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  /// - Complexity: O(*n*), where *n* is the number of functions.
  public static func chain(
    _ initial: Value, _ links: [@Sendable (Value) throws -> Promise], on context: any ExecutionContext = .pool,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    let site = CreationSite(fileID: fileID, line: line)
    guard let first = links.first else { return Promise(value: initial, at: site) }
    return links.dropFirst().reduce(startOwned(on: context, by: .chain, at: site) { try first(initial) }) {
      promise, link in
      promise.thenOwned(on: context, by: .chain, at: site, weight: 1, link)
    }
  }

  /// Flattens a promise for a promise: returns a promise for the value of the inner one.
  ///
  /// ```swift
  /// let chosen: Promise<Promise<Page>> = choice.map { url in load(url) }
  /// let page: Promise<Page> = chosen.join()
  /// ```
  ///
  /// The result is rejected with the error of either promise. If it is cancelled, it gives up the inner promise, which
  /// is cancelled unless another consumer wants it (rule 4.4). Its progress has a half of each promise (rule 5.4).
  ///
  /// - Complexity: as ``/PromiseCore/Deferred/follow(_:)``.
  public func join<Inner>(fileID: StaticString = #fileID, line: UInt = #line) -> Promise<Inner>
  where Value == Promise<Inner> {
    then(on: InlineContext.shared, fileID: fileID, line: line) { $0 }
  }

  /// Returns a promise for the value of a promise for an optional, or for another value if that is `nil`.
  ///
  /// ```swift
  /// let name = profile.map { $0.nickname }.unwrap(or: "anonymous")
  /// ```
  ///
  /// An error passes through. To reject if the value is `nil`, use `compactMap { $0 }`. To ask another source for the
  /// value, use `then`.
  ///
  /// The result is derived from this promise as that of `map` is, but without a hop.
  ///
  /// - Parameters:
  ///   - value: the value in place of `nil`. It is computed in any case.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  /// - Complexity: O(1).
  public func unwrap<Wrapped>(
    or value: Wrapped, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Wrapped> where Value == Wrapped? {
    map(on: InlineContext.shared, fileID: fileID, line: line) { $0 ?? value }
  }

  /// Makes the promise of a deferred settle as this promise does. It is `deferred.follow(promise)`, written from the
  /// side of the promise.
  ///
  /// ```swift
  /// load(url).relay(to: answer)
  /// ```
  ///
  /// - Returns: this promise.
  @_alwaysEmitIntoClient @discardableResult
  public func relay(to deferred: Deferred<Value>) -> Promise {
    deferred.follow(self)
    return self
  }
}

// First guesses. They do not compile, and the message states the right call.

extension Promise {
  @available(*, unavailable, message: "use `Promise.reduce(all: promises) { … }`, whose closure returns a promise")
  @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public static func reduce(
    _ promises: [Promise], _ combine: @escaping @Sendable (Value, Value) throws -> Promise
  ) -> Promise { preconditionFailure("unavailable") }

  @available(
    *, unavailable, message: "use `Promise.all(promises).map { values in … }`, or `Promise.reduce(all: promises) { … }`"
  )
  @_documentation(visibility: internal) @_alwaysEmitIntoClient
  public static func reduce<Result>(
    _ promises: [Promise], _ initial: Result, _ combine: @escaping @Sendable (Result, Value) throws -> Result
  ) -> Promise<Result> { preconditionFailure("unavailable") }
}
