import PromiseCore
import TestSupport

/// What an observer of the promise was shown, once its context has run.
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
