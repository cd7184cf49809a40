public import PromiseCore

extension Promise {
  /// The values of all promises, in their order, once all are fulfilled (reference row E1; JavaScript's `Promise.all`).
  ///
  /// ```swift
  /// let pages = Promise.all(urls.map(load))
  /// ```
  ///
  /// - Empty input: fulfilled, with no values.
  /// - Failure: rejected with the first error in time, cancelled if that input was (rule 1.2). What becomes of the
  ///   others says `policy`; of their rejections nobody need hear (rule 7.1).
  /// - Cancelling the result leaves the inputs alone; ``/PromiseCore/AnyPromise/cancel(reason:upstream:)`` with
  ///   `upstream: true` gives them up (rule 4.8).
  /// - Progress: the mean of the inputs' (rule 5.4; reference row J6).
  ///
  /// A promise may stand in the input several times; inputs may be settled already, and settle on any thread.
  ///
  /// - Parameters:
  ///   - promises: any finite sequence, which is read once, here.
  ///   - policy: what becomes of the others when one is rejected.
  ///   - fileID: where the result was made, for errors and diagnostics.
  ///   - line: the line there.
  /// - Complexity: O(*n*): an allocation for each input.
  @inlinable
  public static func all<Element, Inputs: Sequence>(
    _ promises: Inputs, onFailure policy: FailurePolicy = .leaveRunning,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<[Element]> where Value == [Element], Inputs.Element == Promise<Element> {
    // Here, where the types are known. In the library they would have to be looked up for every input.
    let inputs = promises.map { $0 as AnyPromise }
    return all(of: inputs, onFailure: policy, at: CreationSite(fileID: fileID, line: line)) {
      inputs.map { Promise<Element>.settledValue(of: $0) }
    }
  }

  /// Returns a promise for the values of promises of any types, as a tuple, once all are fulfilled.
  ///
  /// ```swift
  /// let title = Promise.all(user, orders).map { user, orders in "\(user.name): \(orders.count) orders" }
  /// ```
  ///
  /// Failure, cancellation and progress are those of ``all(_:onFailure:fileID:line:)``.
  ///
  /// - Complexity: O(*n*): an allocation for each input.
  public static func all<First, Second, each Other>(
    _ first: Promise<First>, _ second: Promise<Second>, _ others: repeat Promise<each Other>,
    onFailure policy: FailurePolicy = .leaveRunning,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<(First, Second, repeat each Other)> where Value == Void {
    var inputs: [AnyPromise] = [first, second]
    repeat inputs.append(each others)
    return .all(of: inputs, onFailure: policy, at: CreationSite(fileID: fileID, line: line)) {
      (
        Promise<First>.settledValue(of: first), Promise<Second>.settledValue(of: second),
        repeat Promise<each Other>.settledValue(of: each others)
      )
    }
  }

  /// - Parameter values: of the inputs, when all are fulfilled.
  @usableFromInline
  package static func all(
    of inputs: [AnyPromise], onFailure policy: FailurePolicy, at site: CreationSite,
    values: @escaping @Sendable () -> Value
  ) -> Promise {
    if inputs.isEmpty { return Promise(value: values(), at: site) }
    let result = Promise(pendingAt: site)
    // The first in time, for `waitForAll`.
    let failure = FirstFailure()
    Combination.make(result, from: inputs, measuring: .mean) { input, isLast in
      if input.isRejected {
        switch policy {
        case .leaveRunning: return result.claim(errorOf: input) ? .settle : .wait
        case .cancelRemaining: return result.claim(errorOf: input) ? .settleAndGiveUpOthers : .wait
        case .waitForAll: failure.record(input)
        }
      }
      guard isLast else { return .wait }
      if let failed = failure.input { return result.claim(errorOf: failed) ? .settle : .wait }
      return result.claim(value: values()) ? .settle : .wait
    }
    return result
  }
}
