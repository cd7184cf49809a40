import PromiseCore
import TestSupport

/// Watches the progress of a promise in two ways. An observer receives each value, or the test reads the progress.
final class Watched<Value: Sendable>: Sendable {
  let promise: Promise<Value>
  let context = ManualContext()
  let log = Log<Double>()

  init(_ promise: Promise<Value>, isObserved: Bool) {
    self.promise = promise
    if isObserved { promise.onProgress(on: context) { [log] in log.append($0) } }
  }

  /// Returns the last value that the observer received. Without an observer, returns the progress of the promise.
  func progress(isObserved: Bool) -> Double {
    context.runUntilIdle()
    return isObserved ? log.entries.last ?? 0 : promise.progress
  }
}

/// Logs the values that observers receive, once their context has run.
struct Observed {
  let context = ManualContext()
  let log = Log<Double>()

  @discardableResult
  func observe<Value>(_ promise: Promise<Value>) -> Observed {
    promise.onProgress(on: context) { [log] in log.append($0) }
    return self
  }

  var values: [Double] {
    context.runUntilIdle()
    return log.entries
  }
}

extension Double {
  /// Returns whether the numbers are equal up to the rounding errors of a sum of shares.
  func isAbout(_ other: Double) -> Bool { abs(self - other) < 1e-12 }
}
