public import PromiseCore

// The combinators that say which input an outcome comes from. Those that take a dictionary keep its keys.

extension Promise {
  /// Returns a promise for the values of all promises, with the keys of the input. It is fulfilled when all are
  /// fulfilled.
  ///
  /// ```swift
  /// let pages = Promise.all(["front": load("/"), "news": load("/news")])
  /// ```
  ///
  /// - Empty input: the result is fulfilled with an empty dictionary.
  ///
  /// Failure, cancellation and progress are those of ``all(_:onRejection:fileID:line:)-(Inputs,_,_,_)``. If several
  /// inputs are already rejected, the result has the error of one of them, because a dictionary has no order.
  ///
  /// - Parameters:
  ///   - promises: the inputs. The same promise may have several keys.
  ///   - policy: decides what happens to the other inputs when one is rejected.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  /// - Complexity: O(*n*): an allocation for each input that is pending.
  @_alwaysEmitIntoClient
  public static func all<Key: Sendable, Element>(
    _ promises: [Key: Promise<Element>], onRejection policy: RejectionPolicy = .leaveRunning,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<[Key: Element]> where Value == [Key: Element] {
    let inputs = promises.values.map { $0 as AnyPromise }
    return all(of: inputs, onRejection: policy, at: CreationSite(fileID: fileID, line: line)) {
      promises.mapValues { Promise<Element>.settledValue(of: $0) }
    }
  }

  /// Returns a promise for the outcomes of all promises, with the keys of the input. It is fulfilled when all are
  /// settled.
  ///
  /// ```swift
  /// let saved = Promise.allSettled(drafts.mapValues(save))
  /// ```
  ///
  /// - Empty input: the result is fulfilled with an empty dictionary if `count` is 0 or less. Otherwise it is rejected
  ///   with ``/PromiseCore/PromiseError/emptyInput(createdAt:)``.
  ///
  /// Failure, cancellation and progress are those of ``allSettled(_:atLeast:fileID:line:)-(Inputs,_,_,_)``.
  ///
  /// - Parameters:
  ///   - promises: the inputs. The same promise may have several keys.
  ///   - count: how many inputs must be fulfilled. If fewer are, the result is rejected with
  ///     ``/PromiseCore/PromiseError/noneFulfilled(_:createdAt:)``.
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  /// - Complexity: O(*n*): an allocation for each input that is pending.
  @_alwaysEmitIntoClient
  public static func allSettled<Key: Sendable, Element>(
    _ promises: [Key: Promise<Element>], atLeast count: Int = 0, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<[Key: Result<Element, any Error>]> where Value == [Key: Result<Element, any Error>] {
    let inputs = promises.values.map { $0 as AnyPromise }
    return allSettled(of: inputs, atLeast: count, at: CreationSite(fileID: fileID, line: line)) {
      promises.mapValues { Promise<Element>.settledOutcome(of: $0) }
    }
  }

  /// Returns a promise for the value of the first promise that is fulfilled, with its key.
  ///
  /// ```swift
  /// let page = Promise.any(["near": load(near), "far": load(far)])
  /// page.onFulfilled { print("\($0.key) has answered first") }
  /// ```
  ///
  /// Empty input, failure, cancellation and progress are those of ``any(_:cancelsLosers:fileID:line:)-(Inputs,_,_,_)``.
  /// The errors of ``/PromiseCore/PromiseError/noneFulfilled(_:createdAt:)`` have no keys. For these, use `allSettled`.
  ///
  /// - Parameters:
  ///   - promises: the inputs. If a promise has several keys, the result has one of them.
  ///   - cancelsLosers: whether to give up the other inputs when the result is settled (rule 4.8).
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  /// - Complexity: O(*n*): an allocation for each input that is pending.
  @_alwaysEmitIntoClient
  public static func any<Key: Sendable, Element>(
    _ promises: [Key: Promise<Element>], cancelsLosers: Bool = false,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<(key: Key, value: Element)> where Value == (key: Key, value: Element) {
    let inputs = Array(promises)
    return any(
      of: inputs.map { $0.value as AnyPromise }, cancelsLosers: cancelsLosers,
      at: CreationSite(fileID: fileID, line: line)
    ) { (inputs[$0].key, Promise<Element>.settledValue(of: inputs[$0].value)) }
  }

  /// Returns a promise for the value of the first promise that is fulfilled, with the offset of that promise in the
  /// input.
  ///
  /// ```swift
  /// let page = Promise.any(enumerating: mirrors.map(load))
  /// page.onFulfilled { print("mirror \($0.offset) has answered first") }
  /// ```
  ///
  /// The offset counts from 0, as in `enumerated()`. Empty input, failure, cancellation and progress are those of
  /// ``any(_:cancelsLosers:fileID:line:)-(Inputs,_,_,_)``.
  ///
  /// - Parameters:
  ///   - promises: a finite sequence. It is read once, inside this call. If a promise occurs several times, the result
  ///     has its first offset.
  ///   - cancelsLosers: whether to give up the other inputs when the result is settled (rule 4.8).
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  /// - Complexity: O(*n*): an allocation for each input that is pending.
  @_alwaysEmitIntoClient
  public static func any<Element, Inputs: Sequence>(
    enumerating promises: Inputs, cancelsLosers: Bool = false, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<(offset: Int, value: Element)>
  where Value == (offset: Int, value: Element), Inputs.Element == Promise<Element> {
    let inputs = promises.map { $0 as AnyPromise }
    return any(of: inputs, cancelsLosers: cancelsLosers, at: CreationSite(fileID: fileID, line: line)) {
      ($0, Promise<Element>.settledValue(of: inputs[$0]))
    }
  }

  /// Returns a promise for the outcome of the promise that is settled first, with the key of that promise.
  ///
  /// ```swift
  /// let page = Promise.race(["cache": cached, "network": load(url)])
  /// ```
  ///
  /// Empty input, failure, cancellation and progress are those of
  /// ``race(_:cancelsLosers:fileID:line:)-(Inputs,_,_,_)``. The result is rejected with the error as it is, without a
  /// key. If several inputs are already settled, one of them wins.
  ///
  /// - Parameters:
  ///   - promises: the inputs. If a promise has several keys, the result has one of them.
  ///   - cancelsLosers: whether to give up the other inputs when the result is settled (rule 4.8).
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  /// - Complexity: O(*n*): an allocation for each input that is pending.
  @_alwaysEmitIntoClient
  public static func race<Key: Sendable, Element>(
    _ promises: [Key: Promise<Element>], cancelsLosers: Bool = false,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<(key: Key, value: Element)> where Value == (key: Key, value: Element) {
    let inputs = Array(promises)
    return race(
      of: inputs.map { $0.value as AnyPromise }, cancelsLosers: cancelsLosers,
      at: CreationSite(fileID: fileID, line: line)
    ) { (inputs[$0].key, Promise<Element>.settledValue(of: inputs[$0].value)) }
  }

  /// Returns a promise for the outcome of the promise that is settled first, with the offset of that promise in the
  /// input.
  ///
  /// ```swift
  /// let page = Promise.race(enumerating: mirrors.map(load))
  /// ```
  ///
  /// The offset counts from 0, as in `enumerated()`. Empty input, failure, cancellation and progress are those of
  /// ``race(_:cancelsLosers:fileID:line:)-(Inputs,_,_,_)``. The result is rejected with the error as it is, without an
  /// offset.
  ///
  /// - Parameters:
  ///   - promises: a finite sequence. It is read once, inside this call. If a promise occurs several times, the result
  ///     has its first offset.
  ///   - cancelsLosers: whether to give up the other inputs when the result is settled (rule 4.8).
  ///   - fileID: the file in which the result is created, for errors and diagnostics.
  ///   - line: the line in that file.
  /// - Complexity: O(*n*): an allocation for each input that is pending.
  @_alwaysEmitIntoClient
  public static func race<Element, Inputs: Sequence>(
    enumerating promises: Inputs, cancelsLosers: Bool = false, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<(offset: Int, value: Element)>
  where Value == (offset: Int, value: Element), Inputs.Element == Promise<Element> {
    let inputs = promises.map { $0 as AnyPromise }
    return race(of: inputs, cancelsLosers: cancelsLosers, at: CreationSite(fileID: fileID, line: line)) {
      ($0, Promise<Element>.settledValue(of: inputs[$0]))
    }
  }
}
