public import PromiseCore

extension Promise {
  /// Returns a promise for the outcomes of all promises, in the order of the input. It is fulfilled when all are
  /// settled.
  ///
  /// ```swift
  /// let saved = Promise.allSettled(documents.map(save))
  /// let count = saved.map { results in results.count { (try? $0.get()) != nil } }
  /// ```
  ///
  /// - Empty input: the result is fulfilled with no outcomes.
  /// - Failure: the result is never rejected because an input is. A rejection is an outcome, and counts as handled
  ///   (rule 7.1).
  /// - Cancelling the result does not affect the inputs. ``/PromiseCore/AnyPromise/cancel(reason:upstream:)`` with
  ///   `upstream: true` gives them up (rule 4.8).
  /// - Progress: the mean of the progress of the inputs. A settled input counts as 1 (rule 5.4).
  ///
  /// - Parameters:
  ///   - promises: a finite sequence. It is read once, inside this call.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  /// - Complexity: O(*n*): an allocation for each input that is pending.
  @_alwaysEmitIntoClient
  public static func allSettled<Element, Inputs: Sequence>(
    _ promises: Inputs, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<[Result<Element, any Error>]>
  where Value == [Result<Element, any Error>], Inputs.Element == Promise<Element> {
    allSettled(promises, atLeast: 0, fileID: fileID, line: line)
  }

  /// Returns a promise for the outcomes of all promises, in the order of the input. It is rejected if too few promises
  /// are fulfilled.
  ///
  /// ```swift
  /// let written = Promise.allSettled(replicas.map(write), atLeast: 2)
  /// ```
  ///
  /// - Empty input: the result is fulfilled if `count` is 0 or less. Otherwise it is rejected with
  ///   ``/PromiseCore/PromiseError/emptyInput(createdAt:)``.
  /// - Failure: if fewer than `count` promises are fulfilled when all are settled, the result is rejected with
  ///   ``/PromiseCore/PromiseError/noneFulfilled(_:createdAt:)``.
  ///
  /// Everything else is as for ``allSettled(_:fileID:line:)``.
  @_alwaysEmitIntoClient
  public static func allSettled<Element, Inputs: Sequence>(
    _ promises: Inputs, atLeast count: Int, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<[Result<Element, any Error>]>
  where Value == [Result<Element, any Error>], Inputs.Element == Promise<Element> {
    // In inlinable code, as in `all`, because the types are known here.
    let inputs = promises.map { $0 as AnyPromise }
    return allSettled(of: inputs, atLeast: count, at: CreationSite(fileID: fileID, line: line)) {
      inputs.map { Promise<Element>.settledOutcome(of: $0) }
    }
  }

  /// Returns a promise for the outcomes of promises of any types, as a tuple. It is fulfilled when all are settled.
  ///
  /// ```swift
  /// let page = Promise.allSettled(user, orders).map { user, orders in Page(user, orders) }
  /// ```
  ///
  /// Failure, cancellation and progress are those of ``allSettled(_:atLeast:fileID:line:)-(Inputs,_,_,_)``.
  ///
  /// - Parameters:
  ///   - first: the first input.
  ///   - second: the second input.
  ///   - others: any number of other inputs.
  ///   - count: how many inputs must be fulfilled. If fewer are, the result is rejected with
  ///     ``/PromiseCore/PromiseError/noneFulfilled(_:createdAt:)``.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  /// - Complexity: O(*n*): an allocation for each input that is pending.
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

  /// Combines the inputs, and rejects the result if fewer than `count` of them are fulfilled.
  ///
  /// - Parameter outcomes: returns the value of the result. Called when all inputs are settled.
  @usableFromInline
  package static func allSettled(
    of inputs: [AnyPromise], atLeast count: Int, by operation: Operation = .allSettled, at site: CreationSite,
    outcomes: @escaping @Sendable () -> Value
  ) -> Promise {
    if inputs.isEmpty, count <= 0 { return Promise(value: outcomes(), at: site) }
    let result = Promise(pendingAt: site)
    if inputs.isEmpty { return result.rejecting(.emptyInput(createdAt: site)) }
    Combination.make(result, from: inputs, by: operation, needing: inputs.count, measuring: .meanOfSettled) {
      _, isLast in
      guard isLast else { return .wait }
      let errors = inputs.compactMap { $0.settledError }
      guard inputs.count - errors.count < count else { return .settle(Promise.outcome(outcomes())) }
      return .settle(.failure(.noneFulfilled(errors, createdAt: site)))
    }
    return result
  }
}
