import TestSupport

/// The second settlements that an owner may try after the promise was settled as `.value(1)` or `.error(1)`.
enum SecondSettlement: String, CaseIterable, Sendable {
  case fulfilAgain, fulfilAnew, rejectAgain, rejectAnew
  case settleAsSuccess, settleAsFailure
  case followFulfilled, followRejected, followPending, followItself

  /// Tries the second settlement and returns whether the owner was told that it succeeded.
  func attempt(by deferred: Deferred<Int>) -> Bool {
    switch self {
    case .fulfilAgain: return deferred.fulfill(1)
    case .fulfilAnew: return deferred.fulfill(2)
    case .rejectAgain: return deferred.reject(TestError(1))
    case .rejectAnew: return deferred.reject(TestError(2))
    case .settleAsSuccess: return deferred.settle(.success(2))
    case .settleAsFailure: return deferred.settle(.failure(TestError(2)))
    case .followFulfilled: return deferred.follow(.fulfilled(2))
    case .followRejected: return deferred.follow(.rejected(TestError(2)))
    case .followItself: return deferred.follow(deferred.promise)
    case .followPending:
      let other = Deferred<Int>()
      let answer = deferred.follow(other.promise)
      other.fulfill(2)
      return answer
    }
  }
}
