import PromiseCombinators
import TestSupport

extension Promise {
  /// The value, if there is one by now.
  var values: Value? { try? result?.get() }

  /// The number of the `TestError` with which it was rejected.
  var errorNumber: Int? {
    guard case .failure(let error) = result else { return nil }
    return (error as? TestError)?.number
  }

  /// The library's own error with which it was rejected.
  var ownError: PromiseError? {
    guard case .failure(let error) = result else { return nil }
    return error as? PromiseError
  }
}
