public import PromiseCore

extension Promise {
  /// The outcomes of all promises, in their order, once all are settled (reference row E7; OMPromises' `collect`,
  /// JavaScript's `Promise.allSettled`).
  ///
  /// ```swift
  /// let saved = Promise.allSettled(documents.map(save))
  /// let count = saved.map { results in results.count { (try? $0.get()) != nil } }
  /// ```
  ///
  /// - Empty input: fulfilled, with no outcomes.
  /// - Failure: none; a rejection is an outcome, and counts as looked at (rule 7.1).
  /// - Cancelling the result leaves the inputs alone; ``/PromiseCore/AnyPromise/cancel(reason:upstream:)`` with
  ///   `upstream: true` gives them up (rule 4.8).
  /// - Progress: the mean of the inputs', where a settled one counts 1 (rule 5.4; reference row J8).
  ///
  /// - Parameters:
  ///   - promises: any finite sequence, which is read once, here.
  ///   - fileID: where the result was made, for errors and diagnostics.
  ///   - line: the line there.
  /// - Complexity: O(*n*): an allocation for each input.
  @inlinable
  public static func allSettled<Element, Inputs: Sequence>(
    _ promises: Inputs, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<[Result<Element, any Error>]>
  where Value == [Result<Element, any Error>], Inputs.Element == Promise<Element> {
    allSettled(promises, atLeast: 0, fileID: fileID, line: line)
  }

  /// As ``allSettled(_:fileID:line:)``, and rejected if too few are fulfilled (reference rows E4 and E5;
  /// google/promises' `any` is `atLeast: 1`).
  ///
  /// ```swift
  /// let written = Promise.allSettled(replicas.map(write), atLeast: 2)
  /// ```
  ///
  /// - Empty input: fulfilled if `atLeast` is 0 or less; else rejected with ``/PromiseCore/PromiseError/emptyInput(createdAt:)``.
  /// - Failure: with fewer than `count` values, rejected with ``/PromiseCore/PromiseError/noneFulfilled(_:createdAt:)`` when all are
  ///   settled.
  @inlinable
  public static func allSettled<Element, Inputs: Sequence>(
    _ promises: Inputs, atLeast count: Int, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<[Result<Element, any Error>]>
  where Value == [Result<Element, any Error>], Inputs.Element == Promise<Element> {
    // Here, as in `all`, where the types are known.
    let inputs = promises.map { $0 as AnyPromise }
    return allSettled(of: inputs, atLeast: count, at: CreationSite(fileID: fileID, line: line)) {
      inputs.map { Promise<Element>.settledOutcome(of: $0) }
    }
  }

  /// Returns a promise for the outcomes of promises of any types, as a tuple, once all are settled.
  ///
  /// ```swift
  /// let page = Promise.allSettled(user, orders).map { user, orders in Page(user, orders) }
  /// ```
  ///
  /// Failure, cancellation and progress are those of ``allSettled(_:atLeast:fileID:line:)``.
  ///
  /// - Parameters:
  ///   - first: the first input.
  ///   - second: the second input.
  ///   - others: any number of other inputs.
  ///   - count: with fewer values, the result is rejected with ``/PromiseCore/PromiseError/noneFulfilled(_:createdAt:)``.
  ///   - fileID: where the result was made, for errors and diagnostics.
  ///   - line: the line there.
  /// - Complexity: O(*n*): an allocation for each input.
  public static func allSettled<First, Second, each Other>(
    _ first: Promise<First>, _ second: Promise<Second>, _ others: repeat Promise<each Other>, atLeast count: Int = 0,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<(Result<First, any Error>, Result<Second, any Error>, repeat Result<each Other, any Error>)>
  where Value == Void {
    var inputs: [AnyPromise] = [first, second]
    repeat inputs.append(each others)
    return .allSettled(of: inputs, atLeast: count, at: CreationSite(fileID: fileID, line: line)) {
      (
        Promise<First>.settledOutcome(of: first), Promise<Second>.settledOutcome(of: second),
        repeat Promise<each Other>.settledOutcome(of: each others)
      )
    }
  }

  /// - Parameter outcomes: of the inputs, when all are settled.
  @usableFromInline
  package static func allSettled(
    of inputs: [AnyPromise], atLeast count: Int, at site: CreationSite, outcomes: @escaping @Sendable () -> Value
  ) -> Promise {
    if inputs.isEmpty, count <= 0 { return Promise(value: outcomes(), at: site) }
    let result = Promise(pendingAt: site)
    if inputs.isEmpty { return result.rejecting(.emptyInput(createdAt: site)) }
    Combination.make(result, from: inputs, measuring: .meanOfSettled) { _, isLast in
      guard isLast else { return .wait }
      let errors = inputs.compactMap { $0.settledError }
      guard inputs.count - errors.count < count else { return result.claim(value: outcomes()) ? .settle : .wait }
      return result.claim(error: .noneFulfilled(errors, createdAt: site)) ? .settle : .wait
    }
    return result
  }
}
