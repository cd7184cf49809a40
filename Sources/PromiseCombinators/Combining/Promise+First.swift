public import PromiseCore

extension Promise {
  /// The first value that comes, of any of the promises (reference row E3; RXPromise's, OMPromises' and JavaScript's
  /// `any`. What google/promises calls `any` is ``allSettled(_:atLeast:fileID:line:)``).
  ///
  /// ```swift
  /// let page = Promise.any(mirrors.map(load))
  /// ```
  ///
  /// - Empty input: rejected with ``/PromiseCore/PromiseError/emptyInput(createdAt:)``.
  /// - Failure: rejected with ``/PromiseCore/PromiseError/noneFulfilled(_:createdAt:)`` once all are rejected, with all errors;
  ///   cancelled if all inputs were (rule 1.2). The others are left alone, also when there is a value, unless
  ///   `cancelsLosers` says otherwise.
  /// - Cancelling the result leaves the inputs alone; ``/PromiseCore/AnyPromise/cancel(reason:upstream:)`` with
  ///   `upstream: true` gives them up (rule 4.8).
  /// - Progress: the maximum of the inputs' (rule 5.4; reference row J7).
  ///
  /// Losers are let go at once: a long-lived promise may be in any number of these one after another, and keeps nothing of
  /// them (rule 4.9).
  ///
  /// - Parameters:
  ///   - promises: any finite sequence, which is read once, here.
  ///   - cancelsLosers: whether the others are given up once there is a result (rule 4.8).
  ///   - fileID: where the result was made, for errors and diagnostics.
  ///   - line: the line there.
  /// - Complexity: O(*n*): an allocation for each input.
  @inlinable
  public static func any<Inputs: Sequence>(
    _ promises: Inputs, cancelsLosers: Bool = false, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise where Inputs.Element == Promise {
    any(
      of: promises.map { $0 as AnyPromise }, cancelsLosers: cancelsLosers, at: CreationSite(fileID: fileID, line: line))
  }

  /// Returns a promise for the first value of the promises.
  ///
  /// ```swift
  /// let page = Promise.any(mirror, original)
  /// ```
  ///
  /// Everything else is as for ``any(_:cancelsLosers:fileID:line:)``.
  ///
  /// - Complexity: O(*n*): an allocation for each input.
  @inlinable
  public static func any(
    _ first: Promise, _ others: Promise..., cancelsLosers: Bool = false,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    any([first] + others, cancelsLosers: cancelsLosers, fileID: fileID, line: line)
  }

  /// The outcome of whatever promise is settled first, value or error (reference row E6; google/promises' and
  /// JavaScript's `race`).
  ///
  /// ```swift
  /// let image = Promise.race([download, .after(.seconds(5), fulfill: placeholder)])
  /// ```
  ///
  /// - Empty input: rejected with ``/PromiseCore/PromiseError/emptyInput(createdAt:)``.
  /// - Failure: rejected with the error of the first, if that was rejected, cancelled if that was (rule 1.2). The
  ///   others are left alone, unless `cancelsLosers` says otherwise.
  /// - Cancelling the result leaves the inputs alone; ``/PromiseCore/AnyPromise/cancel(reason:upstream:)`` with
  ///   `upstream: true` gives them up (rule 4.8).
  /// - Progress: the maximum of the inputs' (rule 5.4).
  ///
  /// If several are settled already, the first of them in the input wins. Losers are let go at once: a long-lived
  /// promise may be in any number of races one after another, and keeps nothing of them (rule 4.9).
  ///
  /// - Parameters:
  ///   - promises: any finite sequence, which is read once, here.
  ///   - cancelsLosers: whether the others are given up once there is a result (rule 4.8).
  ///   - fileID: where the result was made, for errors and diagnostics.
  ///   - line: the line there.
  /// - Complexity: O(*n*): an allocation for each input.
  @inlinable
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
  /// Everything else is as for ``race(_:cancelsLosers:fileID:line:)``.
  ///
  /// - Complexity: O(*n*): an allocation for each input.
  @inlinable
  public static func race(
    _ first: Promise, _ others: Promise..., cancelsLosers: Bool = false,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    race([first] + others, cancelsLosers: cancelsLosers, fileID: fileID, line: line)
  }
}

// MARK: - What decides

extension Promise {
  @usableFromInline
  package static func any(of inputs: [AnyPromise], cancelsLosers: Bool = false, at site: CreationSite) -> Promise {
    let settle: Combination.Step = cancelsLosers ? .settleAndGiveUpOthers : .settle
    return first(of: inputs, at: site) { result in
      { input, isLast in
        if !input.isRejected { return result.claim(valueOf: input) ? settle : .wait }
        guard isLast else { return .wait }
        // Cancelled like all of them; else an error of its own, which tells theirs.
        if inputs.allSatisfy({ $0.isCancelled }) { return result.claim(errorOf: input) ? .settle : .wait }
        let error = PromiseError.noneFulfilled(inputs.compactMap { $0.settledError }, createdAt: site)
        return result.claim(error: error) ? .settle : .wait
      }
    }
  }

  @usableFromInline
  package static func race(of inputs: [AnyPromise], cancelsLosers: Bool = false, at site: CreationSite) -> Promise {
    let settle: Combination.Step = cancelsLosers ? .settleAndGiveUpOthers : .settle
    return first(of: inputs, at: site) { result in
      { input, _ in result.claim(errorOf: input) || result.claim(valueOf: input) ? settle : .wait }
    }
  }

  /// - Parameter rule: of a result.
  private static func first(
    of inputs: [AnyPromise], at site: CreationSite, rule: (_ result: Promise) -> Combination.Rule
  ) -> Promise {
    let result = Promise(pendingAt: site)
    if inputs.isEmpty { return result.rejecting(.emptyInput(createdAt: site)) }
    Combination.make(result, from: inputs, measuring: .maximum, by: rule(result))
    return result
  }
}
