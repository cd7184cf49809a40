public import PromiseCore

extension Promise {
  /// Returns a promise for the value of that fulfilled promise which comes first in the list.
  ///
  /// ```swift
  /// let page = Promise.any(inOrder: [cache.page(url), mirror.page(url), server.page(url)], cancelsLosers: true)
  /// ```
  ///
  /// All inputs run at the same time, as with ``any(_:cancelsLosers:fileID:line:)-(Inputs,_,_,_)``. But the order of the
  /// list decides, and not the order in which they are settled. The result is settled as soon as the winner is certain:
  /// when an input is fulfilled and each input before it is rejected. Those behind it need not be settled.
  ///
  /// To accept some values only, validate the inputs:
  ///
  /// ```swift
  /// let host = Promise.any(inOrder: hosts.map { host in ping(host).validate { $0 < .milliseconds(50) } })
  /// ```
  ///
  /// - Empty input: the result is rejected with ``/PromiseCore/PromiseError/emptyInput(createdAt:)``.
  /// - Failure: when all inputs are rejected, the result is rejected with
  ///   ``/PromiseCore/PromiseError/noneFulfilled(_:createdAt:)``, which has all their errors. If all inputs were
  ///   cancelled, the result is cancelled, with the reason of the one that was settled last (rule 1.2). A rejected input
  ///   before the winner counts as handled (rule 7.1). The inputs behind the winner continue unless `cancelsLosers` is
  ///   true.
  /// - Cancelling the result does not affect the inputs. ``/PromiseCore/AnyPromise/cancel(reason:upstream:)`` with
  ///   `upstream: true` gives them up (rule 4.8).
  /// - Progress: the maximum of the progress of the inputs (rule 5.4). An input that is fulfilled counts as 1, although
  ///   another one before it may still be pending.
  ///
  /// The input may contain the same promise several times.
  ///
  /// - Parameters:
  ///   - promises: a finite sequence. It is read once, inside this call.
  ///   - cancelsLosers: whether to give up the inputs that are pending when the result is settled (rule 4.8).
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  /// - Complexity: O(*n*): an allocation for each input that is pending.
  @_alwaysEmitIntoClient
  public static func any<Inputs: Sequence>(
    inOrder promises: Inputs, cancelsLosers: Bool = false, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise where Inputs.Element == Promise {
    any(
      inOrderOf: promises.map { $0 as AnyPromise }, cancelsLosers: cancelsLosers,
      at: CreationSite(fileID: fileID, line: line))
  }

  @usableFromInline
  package static func any(inOrderOf inputs: [AnyPromise], cancelsLosers: Bool, at site: CreationSite) -> Promise {
    let arrivals = OrderedArrivals(of: inputs)
    return first(of: inputs, by: .any, at: site) { input, isLast in
      switch arrivals.record(input, isLast: isLast) {
      case .undecided: .wait
      case .first(let winner): .settle(winner.outcomeOfInput, givingUpOthers: cancelsLosers)
      case .none: .settle(.rejection(after: input, of: inputs, at: site))
      }
    }
  }
}

/// The inputs of a combinator that are settled, and the first one in their order that is not rejected.
private final class OrderedArrivals: @unchecked Sendable {
  // `@unchecked Sendable`, because the variables are read and written under the lock only.
  enum Decision {
    case undecided
    /// This input is fulfilled, and each one before it is rejected.
    case first(AnyPromise)
    /// All inputs are rejected.
    case none
  }

  private let lock = ShortLock()
  private let inputs: [AnyPromise]
  private var arrived: Set<ObjectIdentifier> = []
  /// Invariant: each input before this index has arrived, and is rejected.
  private var index = 0

  init(of inputs: [AnyPromise]) { self.inputs = inputs }

  /// Records an input that is settled.
  ///
  /// - Parameter isLast: whether all inputs have arrived.
  /// - Complexity: amortized O(1), because the index only grows.
  func record(_ input: AnyPromise, isLast: Bool) -> Decision {
    lock.locked {
      // An input may be settled before it arrives. Its arrival decides, so that the result knows what it waits for.
      arrived.insert(ObjectIdentifier(input.resolved))
      while index < inputs.count, isLast || arrived.contains(ObjectIdentifier(inputs[index].resolved)) {
        if !inputs[index].isRejected { return .first(inputs[index]) }
        index += 1
      }
      return index < inputs.count ? .undecided : .none
    }
  }
}
