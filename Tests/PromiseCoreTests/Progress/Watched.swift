import TestSupport

/// Watches the progress of a promise in one of two ways. Either an observer receives each value, or the test reads the
/// progress.
struct Watched<Value: Sendable> {
  private let promise: Promise<Value>
  private let observed: Observed?

  init(_ promise: Promise<Value>, isObserved: Bool) {
    self.promise = promise
    observed = isObserved ? Observed().observe(promise) : nil
  }

  /// The last value that the observer received. Without an observer, the progress of the promise.
  var progress: Double { observed.map { $0.values.last ?? 0 } ?? promise.progress }
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
