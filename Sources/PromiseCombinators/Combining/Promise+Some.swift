public import PromiseCore

extension Promise {
  /// Returns a promise for the values of the first promises that are fulfilled, in the order in which they arrive.
  ///
  /// ```swift
  /// let answers = Promise.some(replicas.map(read), count: 2)
  /// ```
  ///
  /// - No value is needed, because `count` is 0 or less: the result is fulfilled at once, with no values.
  /// - Failure: as soon as fewer than `count` promises can still be fulfilled, the result is rejected with
  ///   ``/PromiseCore/PromiseError/noneFulfilled(_:createdAt:)``, which has the errors of all inputs that are rejected
  ///   by then. If all of these were cancelled, the result is cancelled, with the reason of the last (rule 1.2). If
  ///   `count` is more than there are inputs, the result is rejected at once, with the same error, or without any input
  ///   with ``/PromiseCore/PromiseError/emptyInput(createdAt:)``. The other inputs continue unless `cancelsLosers` is
  ///   true. Their rejections count as handled (rule 7.1).
  /// - Cancelling the result does not affect the inputs. ``/PromiseCore/AnyPromise/cancel(reason:upstream:)`` with
  ///   `upstream: true` gives them up (rule 4.8).
  /// - Progress: the mean of the progress of `count` inputs, those that have done most (rule 5.4).
  ///
  /// The inputs may settle on any thread. Those that are already fulfilled arrive first, in the order of the input. The
  /// input may contain the same promise several times, and each of its places counts. To wait for all inputs, and get
  /// the errors as outcomes, use ``allSettled(_:atLeast:fileID:line:)-(Inputs,_,_,_)``.
  ///
  /// - Parameters:
  ///   - promises: a finite sequence. It is read once, inside this call.
  ///   - count: how many values the result has.
  ///   - cancelsLosers: whether to give up the other inputs when the result is settled (rule 4.8).
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  /// - Complexity: O(*n*): an allocation for each input that is pending.
  @_alwaysEmitIntoClient
  public static func some<Element, Inputs: Sequence>(
    _ promises: Inputs, count: Int, cancelsLosers: Bool = false,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<[Element]> where Value == [Element], Inputs.Element == Promise<Element> {
    // In inlinable code, as in `all`, because the types are known here.
    some(
      of: promises.map { $0 as AnyPromise }, count: count, cancelsLosers: cancelsLosers,
      at: CreationSite(fileID: fileID, line: line)
    ) { arrived in arrived.map { Promise<Element>.settledValue(of: $0) } }
  }

  /// Returns a promise for the values of the first promises that are fulfilled, in the order in which they arrive.
  ///
  /// ```swift
  /// let answers = Promise.some(read("Basel"), read("Bern"), read("Bonn"), count: 2)
  /// ```
  ///
  /// Everything else is as for ``some(_:count:cancelsLosers:fileID:line:)``.
  ///
  /// - Complexity: O(*n*): an allocation for each input that is pending.
  @_alwaysEmitIntoClient
  public static func some<Element>(
    _ first: Promise<Element>, _ others: Promise<Element>..., count: Int, cancelsLosers: Bool = false,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<[Element]> where Value == [Element] {
    some([first] + others, count: count, cancelsLosers: cancelsLosers, fileID: fileID, line: line)
  }

  /// Combines the inputs, of which `count` must be fulfilled.
  ///
  /// - Parameter values: returns the value of the result. Called with the inputs that are fulfilled, in the order in
  ///   which they have arrived.
  @usableFromInline
  package static func some(
    of inputs: [AnyPromise], count: Int, cancelsLosers: Bool, at site: CreationSite,
    values: @escaping @Sendable ([AnyPromise]) -> Value
  ) -> Promise {
    guard count >= 1, count <= inputs.count else {
      // No input matters. So the result is that of a settled promise, to which all inputs lose.
      let settled = Promise(pendingAt: site)
      if count <= 0 {
        settled.fulfillIfPending(values([]))
      } else {
        _ = settled.rejecting(inputs.isEmpty ? .emptyInput(createdAt: site) : .noneFulfilled([], createdAt: site))
      }
      return first(of: [settled] + inputs, by: .some, at: site) { input, _ in
        .settle(input.outcomeOfInput, givingUpOthers: cancelsLosers)
      }
    }
    let result = Promise(pendingAt: site)
    let arrivals = Arrivals(of: inputs.count, needing: count)
    Combination.make(result, from: inputs, by: .some, needing: count, measuring: .mean) { input, _ in
      // An input that arrives decides at the latest when it is the last.
      switch arrivals.record(input) {
      case nil: .wait
      case .enough(let fulfilled): .settle(outcome(values(fulfilled)), givingUpOthers: cancelsLosers)
      case .tooFew(let rejected):
        .settle(.rejection(after: input, of: rejected.inOrder(of: inputs), at: site), givingUpOthers: cancelsLosers)
      }
    }
    return result
  }
}

extension [AnyPromise] {
  /// Returns those of the inputs that are among these settled promises.
  fileprivate func inOrder(of inputs: [AnyPromise]) -> [AnyPromise] {
    let settled = Set(map { ObjectIdentifier($0.resolved) })
    return inputs.filter { settled.contains(ObjectIdentifier($0.resolved)) }
  }
}
