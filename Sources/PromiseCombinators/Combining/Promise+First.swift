public import PromiseCore

extension Promise {
  /// Returns a promise for the value of the first promise that is fulfilled.
  ///
  /// ```swift
  /// let page = Promise.any(mirrors.map(load))
  /// ```
  ///
  /// - Empty input: the result is rejected with ``/PromiseCore/PromiseError/emptyInput(createdAt:)``.
  /// - Failure: when all inputs are rejected, the result is rejected with
  ///   ``/PromiseCore/PromiseError/noneFulfilled(_:createdAt:)``, which has all their errors. If all inputs were
  ///   cancelled, the result is cancelled, with the reason of the last (rule 1.2). When an input is fulfilled, the
  ///   others continue unless `cancelsLosers` is true.
  /// - Cancelling the result does not affect the inputs. ``/PromiseCore/AnyPromise/cancel(reason:upstream:)`` with
  ///   `upstream: true` gives them up (rule 4.8).
  /// - Progress: the maximum of the progress of the inputs (rule 5.4).
  ///
  /// When the result is settled, the other inputs are detached from it at once. So a long-lived promise may be an input
  /// of any number of calls, one after another, and retains nothing of the finished ones (rule 4.9).
  ///
  /// - Parameters:
  ///   - promises: a finite sequence. It is read once, inside this call.
  ///   - cancelsLosers: whether to give up the other inputs when the result is settled (rule 4.8).
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  /// - Complexity: O(*n*): an allocation for each input that is pending.
  @_alwaysEmitIntoClient
  public static func any<Inputs: Sequence>(
    _ promises: Inputs, cancelsLosers: Bool = false, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise where Inputs.Element == Promise {
    any(
      of: promises.map { $0 as AnyPromise }, cancelsLosers: cancelsLosers, at: CreationSite(fileID: fileID, line: line))
  }

  /// Returns a promise for the value of the first promise that is fulfilled.
  ///
  /// ```swift
  /// let page = Promise.any(mirror, original)
  /// ```
  ///
  /// Everything else is as for ``any(_:cancelsLosers:fileID:line:)-(Inputs,_,_,_)``.
  ///
  /// - Complexity: O(*n*): an allocation for each input that is pending.
  @_alwaysEmitIntoClient
  public static func any(
    _ first: Promise, _ others: Promise..., cancelsLosers: Bool = false,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    any([first] + others, cancelsLosers: cancelsLosers, fileID: fileID, line: line)
  }

  /// Returns a promise for the outcome of the promise that is settled first, whether that is a value or an error.
  ///
  /// ```swift
  /// let image = Promise.race([download, .after(.seconds(5), fulfill: placeholder)])
  /// ```
  ///
  /// - Empty input: the result is rejected with ``/PromiseCore/PromiseError/emptyInput(createdAt:)``.
  /// - Failure: if the first promise that settles is rejected, the result is rejected with its error. It is cancelled
  ///   if that promise was cancelled (rule 1.2). The other inputs continue unless `cancelsLosers` is true.
  /// - Cancelling the result does not affect the inputs. ``/PromiseCore/AnyPromise/cancel(reason:upstream:)`` with
  ///   `upstream: true` gives them up (rule 4.8).
  /// - Progress: the maximum of the progress of the inputs (rule 5.4).
  ///
  /// If several inputs are already settled, the first of them in the input wins. When the result is settled, the other
  /// inputs are detached from it at once. So a long-lived promise may be an input of any number of races, one after
  /// another, and retains nothing of the finished ones (rule 4.9).
  ///
  /// - Parameters:
  ///   - promises: a finite sequence. It is read once, inside this call.
  ///   - cancelsLosers: whether to give up the other inputs when the result is settled (rule 4.8).
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  /// - Complexity: O(*n*): an allocation for each input that is pending.
  @_alwaysEmitIntoClient
  public static func race<Inputs: Sequence>(
    _ promises: Inputs, cancelsLosers: Bool = false, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise where Inputs.Element == Promise {
    race(
      of: promises.map { $0 as AnyPromise }, cancelsLosers: cancelsLosers, at: CreationSite(fileID: fileID, line: line))
  }

  /// Returns a promise for the outcome of the promise that is settled first.
  ///
  /// ```swift
  /// let image = Promise.race(download, .after(.seconds(5), fulfill: placeholder))
  /// ```
  ///
  /// Everything else is as for ``race(_:cancelsLosers:fileID:line:)-(Inputs,_,_,_)``.
  ///
  /// - Complexity: O(*n*): an allocation for each input that is pending.
  @_alwaysEmitIntoClient
  public static func race(
    _ first: Promise, _ others: Promise..., cancelsLosers: Bool = false,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    race([first] + others, cancelsLosers: cancelsLosers, fileID: fileID, line: line)
  }
}

// MARK: - Rules

extension Promise {
  @usableFromInline
  package static func any(of inputs: [AnyPromise], cancelsLosers: Bool = false, at site: CreationSite) -> Promise {
    first(of: inputs, by: .any, at: site) { input, isLast in
      if !input.isRejected { return .settle(input.outcomeOfInput, givingUpOthers: cancelsLosers) }
      return .afterRejection(of: input, isLast: isLast, in: inputs, at: site)
    }
  }

  /// Combines the inputs as `any` does.
  ///
  /// - Parameter value: returns the value of the result. Called with the offset of the input that is fulfilled.
  @usableFromInline
  package static func any(
    of inputs: [AnyPromise], cancelsLosers: Bool, at site: CreationSite, value: @escaping @Sendable (Int) -> Value
  ) -> Promise {
    first(of: inputs, by: .any, at: site) { input, isLast in
      if !input.isRejected {
        return .settle(outcome(value(input.offset(in: inputs))), givingUpOthers: cancelsLosers)
      }
      return .afterRejection(of: input, isLast: isLast, in: inputs, at: site)
    }
  }

  @usableFromInline
  package static func race(of inputs: [AnyPromise], cancelsLosers: Bool = false, at site: CreationSite) -> Promise {
    first(of: inputs, by: .race, at: site) { input, _ in
      .settle(input.outcomeOfInput, givingUpOthers: cancelsLosers)
    }
  }

  /// Combines the inputs as `race` does.
  ///
  /// - Parameter value: returns the value of the result. Called with the offset of the input that is settled first, if
  ///   that is fulfilled.
  @usableFromInline
  package static func race(
    of inputs: [AnyPromise], cancelsLosers: Bool, at site: CreationSite, value: @escaping @Sendable (Int) -> Value
  ) -> Promise {
    first(of: inputs, by: .race, at: site) { input, _ in
      .settle(
        input.isRejected ? input.outcomeOfInput : outcome(value(input.offset(in: inputs))),
        givingUpOthers: cancelsLosers)
    }
  }

  /// Combines the inputs by a rule.
  static func first(
    of inputs: [AnyPromise], by operation: Operation, at site: CreationSite, rule: @escaping Combination.Rule
  ) -> Promise {
    let result = Promise(pendingAt: site)
    if inputs.isEmpty { return result.rejecting(.emptyInput(createdAt: site)) }
    Combination.make(result, from: inputs, by: operation, needing: 1, measuring: .mean, rule: rule)
    return result
  }
}

// Not in the extension of `Promise`, so that the rules need not keep the type of the value.

extension Combination.Decision {
  /// Returns the decision of `any` when an input is rejected.
  ///
  /// - Parameter isLast: whether all inputs are rejected.
  fileprivate static func afterRejection(
    of input: AnyPromise, isLast: Bool, in inputs: [AnyPromise], at site: CreationSite
  ) -> Combination.Decision {
    isLast ? .settle(.rejection(after: input, of: inputs, at: site)) : .wait
  }
}

extension Outcome {
  /// Returns the outcome of a combinator of which too few inputs are fulfilled. It is cancelled if all rejected inputs
  /// are. Otherwise it has an error with all of theirs.
  ///
  /// - Parameters:
  ///   - last: the input that was rejected last.
  ///   - rejected: the inputs that are rejected, in the order of the input.
  static func rejection(after last: AnyPromise, of rejected: [AnyPromise], at site: CreationSite) -> Outcome {
    if rejected.allSatisfy({ $0.isCancelled }) { return last.outcomeOfInput }
    return .failure(.noneFulfilled(rejected.compactMap { $0.settledError }, createdAt: site))
  }
}

extension AnyPromise {
  /// Returns the offset of this settled input. The client may have passed a promise that stands for it.
  func offset(in inputs: [AnyPromise]) -> Int {
    let input = resolved
    return inputs.prefix { $0.resolved !== input }.count
  }
}
