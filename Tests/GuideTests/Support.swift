import PromiseContexts
import PromiseTesting

extension Promise {
  /// The value, if there is one by now. Looks at the error, if there is one.
  var valueNow: Value? { try? result?.get() }

  /// The error, if there is one by now. Looks at it.
  var errorNow: (any Error)? {
    guard case .failure(let error) = result else { return nil }
    return error
  }
}

/// What an error is, for a comparison: the case of a `PromiseError`, the text of another.
func name(of error: (any Error)?) -> String {
  guard let error = error as? PromiseError else { return error.map { "\($0)" } ?? "none" }
  return switch error {
  case .broken: "broken"
  case .contextDropped: "contextDropped"
  case .cycle: "cycle"
  case .validationFailed: "validationFailed"
  case .noValue: "noValue"
  case .emptyCallback: "emptyCallback"
  case .emptyInput: "emptyInput"
  case .noneFulfilled: "noneFulfilled"
  case .timedOut: "timedOut"
  }
}

extension TestWorld {
  /// The promise, once what happens in this world has settled it.
  func settling<Value>(_ promise: Promise<Value>) -> Promise<Value> {
    _ = try? run(until: promise)
    return promise
  }
}
