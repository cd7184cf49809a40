import PromiseContexts
import Synchronization

/// Counts the operations of one load, from any thread, and cancels them when the load is stopped.
final class Tally: Sendable {
  /// The counts since the start of the load.
  struct Counts {
    var begun = 0
    var ended = 0
    /// How often an operation ended otherwise than it must, by what happened.
    var failures: [String: Int] = [:]
  }

  private struct State {
    var counts = Counts()
    var histogram = Histogram()
  }

  /// Closed when the load is stopped.
  let bag = CancelBag()
  private let state = Mutex(State())

  var counts: Counts { state.withLock { $0.counts } }

  /// Counts an operation, and returns the time of its begin.
  @discardableResult
  func begin() -> ContinuousClock.Instant {
    state.withLock { $0.counts.begun += 1 }
    return .now
  }

  /// Counts the end of an operation.
  ///
  /// - Parameters:
  ///   - start: the begin of the time that is measured.
  ///   - failure: the reason why the operation failed, or `nil` if it ended as it must.
  func end(since start: ContinuousClock.Instant, failure: String? = nil) {
    end(after: start.duration(to: .now), failure: failure)
  }

  func end(after duration: Duration, failure: String? = nil) {
    state.withLock {
      $0.counts.ended += 1
      $0.histogram.add(duration)
      if let failure { $0.counts.failures[failure, default: 0] += 1 }
    }
  }

  /// Counts the end of an operation that a stop of the load has cancelled. Its duration means nothing.
  func endEarly() { state.withLock { $0.counts.ended += 1 } }

  /// Counts the end of an operation when its promise is settled, and cancels the promise when the load is stopped.
  ///
  /// - Parameters:
  ///   - promise: the promise of the operation.
  ///   - start: the begin of the operation.
  ///   - isExpected: whether an outcome is right. It is not asked about a cancellation by the stop.
  ///   - next: begins the next operation. It is not called after the stop.
  func observe<Value>(
    _ promise: Promise<Value>, since start: ContinuousClock.Instant,
    expecting isExpected: @escaping @Sendable (Result<Value, any Error>) -> Bool,
    next: (@Sendable () -> Void)? = nil
  ) {
    promise.bound(to: bag).onSettled { [self] result in
      let isStopped = bag.isClosed
      if isStopped, result.isCancelled {
        endEarly()
      } else {
        end(since: start, failure: failure(of: result, unless: isExpected(result)))
      }
      if !isStopped { next?() }
    }
  }

  /// Returns the durations since the last call.
  func takeDurations() -> Histogram {
    state.withLock { state in
      defer { state.histogram = Histogram() }
      return state.histogram
    }
  }
}

/// Compares the outcome of an operation with the one that it must have.
///
/// - Parameters:
///   - result: the outcome.
///   - isExpected: whether the outcome is right.
/// - Returns: `nil` if it is, and otherwise a text for it.
func failure<Value>(of result: Result<Value, any Error>, unless isExpected: Bool) -> String? {
  if isExpected { return nil }
  switch result {
  case .success(let value): return "fulfilled with \(value)"
  case .failure(let error as PromiseError): return "rejected: \(error.code)"
  case .failure(let error): return "rejected: \(type(of: error)).\(String(describing: error).prefix(160))"
  }
}

extension Result {
  var isCancelled: Bool { if case .failure(is CancellationError) = self { true } else { false } }

  /// Whether the outcome is an error of the library with this code.
  func isRejected(with code: PromiseError.Code) -> Bool {
    if case .failure(let error as PromiseError) = self { error.code == code } else { false }
  }
}
