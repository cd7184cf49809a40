public import PromiseCore

extension Promise {
  /// Returns a promise for the values of all promises, in the order of the input. It is fulfilled when all are
  /// fulfilled.
  ///
  /// ```swift
  /// let pages = Promise.all(urls.map(load))
  /// ```
  ///
  /// - Empty input: the result is fulfilled with no values.
  /// - Failure: the result is rejected with the error that came first. It is cancelled if that input was cancelled
  ///   (rule 1.2). `policy` decides what happens to the other inputs. Their rejections count as handled (rule 7.1).
  /// - Cancelling the result does not affect the inputs. ``/PromiseCore/AnyPromise/cancel(reason:upstream:)`` with
  ///   `upstream: true` gives them up (rule 4.8).
  /// - Progress: the mean of the progress of the inputs (rule 5.4).
  ///
  /// The input may contain the same promise several times, and promises that are already settled. The inputs may settle
  /// on any thread.
  ///
  /// - Parameters:
  ///   - promises: a finite sequence. It is read once, inside this call.
  ///   - policy: decides what happens to the other inputs when one is rejected.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  /// - Complexity: O(*n*): an allocation for each input that is pending.
  @_alwaysEmitIntoClient
  public static func all<Element, Inputs: Sequence>(
    _ promises: Inputs, onRejection policy: RejectionPolicy = .leaveRunning,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<[Element]> where Value == [Element], Inputs.Element == Promise<Element> {
    // The conversions stand in inlinable code because the types are known there. Code inside the library would have to
    // look them up for every input.
    let inputs = promises.map { $0 as AnyPromise }
    return all(of: inputs, onRejection: policy, at: CreationSite(fileID: fileID, line: line)) {
      inputs.map { Promise<Element>.settledValue(of: $0) }
    }
  }

  /// Returns a promise for the values of promises of any types, as a tuple. It is fulfilled when all are fulfilled.
  ///
  /// ```swift
  /// let title = Promise.all(user, orders).map { user, orders in "\(user.name): \(orders.count) orders" }
  /// ```
  ///
  /// Failure, cancellation and progress are those of ``all(_:onRejection:fileID:line:)-(Inputs,_,_,_)``.
  ///
  /// - Complexity: O(*n*): an allocation for each input that is pending.
  public static func all<First, Second, each Other>(
    _ first: Promise<First>, _ second: Promise<Second>, _ others: repeat Promise<each Other>,
    onRejection policy: RejectionPolicy = .leaveRunning,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<(First, Second, repeat each Other)> where Value == Void {
    var inputs: [AnyPromise] = [first, second]
    repeat inputs.append(each others)
    return .all(of: inputs, onRejection: policy, at: CreationSite(fileID: fileID, line: line)) {
      (
        Promise<First>.settledValue(of: first), Promise<Second>.settledValue(of: second),
        repeat Promise<each Other>.settledValue(of: each others)
      )
    }
  }

  /// Combines the inputs as `policy` says.
  ///
  /// - Parameter values: returns the value of the result. Called when all inputs are fulfilled.
  @usableFromInline
  package static func all(
    of inputs: [AnyPromise], onRejection policy: RejectionPolicy, at site: CreationSite,
    values: @escaping @Sendable () -> Value
  ) -> Promise {
    if inputs.isEmpty { return Promise(value: values(), at: site) }
    let result = Promise(pendingAt: site)
    // The input that was rejected first. Only `waitForAll` needs it.
    let failure = FirstFailure()
    Combination.make(result, from: inputs, by: .all, needing: inputs.count, measuring: .mean) { input, isLast in
      if input.isRejected {
        switch policy {
        case .leaveRunning: return .settle(input.outcomeOfInput)
        case .cancelRemaining: return .settle(input.outcomeOfInput, givingUpOthers: true)
        case .waitForAll: failure.record(input)
        }
      }
      guard isLast else { return .wait }
      return .settle(failure.input?.outcomeOfInput ?? Promise.outcome(values()))
    }
    return result
  }
}
