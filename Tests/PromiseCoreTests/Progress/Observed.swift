import PromiseCore
import TestSupport

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
