/// An attempt of a `retry` that hands a value from each attempt to the next, as the closure of the attempt sees it.
///
/// See
/// ``PromiseCore/Promise/retry(attempts:backoff:within:until:on:timers:carrying:asking:fileID:line:_:)-(_,_,_,_,ExecutionContext,_,_,_,_,_,_)``.
public struct RetryAttempt<Carried: Sendable>: Sendable {
  /// The number of the attempt, from 1.
  public let number: Int
  /// The error of the attempt before this one. `nil` for the first attempt.
  public let lastError: (any Error)?
  private let values: CarriedValue<Carried>

  init(_ number: Int, after lastError: (any Error)?, carrying values: CarriedValue<Carried>) {
    self.number = number
    self.lastError = lastError
    self.values = values
  }

  /// The value that was carried last, by this attempt or by one before it. Until an attempt has carried a value, it is
  /// that of the call of `retry`.
  ///
  /// - Complexity: O(1). May be read from any thread.
  public var carried: Carried { values.current }

  /// Carries a value to the next attempt. It replaces the value that was carried before.
  ///
  /// May be called from any thread, by the work of the attempt and by the closure `asking`, as often as the attempt gets
  /// further. An attempt that was given up, and still runs, cannot replace the value of the next one.
  ///
  /// - Returns: `false` if the value came too late, because the next attempt has begun. Then nothing changes.
  /// - Complexity: O(1).
  @discardableResult
  public func carry(_ value: Carried) -> Bool { values.replace(by: value, of: number) }

  func begin() { values.begin(number) }

  func next(after error: any Error) -> RetryAttempt { RetryAttempt(number + 1, after: error, carrying: values) }
}
