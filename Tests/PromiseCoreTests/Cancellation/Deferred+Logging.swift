import PromiseCore
import TestSupport

extension Deferred where Value == Int {
  /// Makes an owner whose hook logs the reasons.
  static func logging(to log: Log<Failure>) -> Deferred<Int> {
    let deferred = Deferred<Int>()
    deferred.onCancel { log.append(Failure($0)) }
    return deferred
  }
}
