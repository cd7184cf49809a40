import PromiseCore
import TestSupport
import Testing

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

/// 2.1.2.1 and 2.1.3.1: checks that the second settlement, from this thread or another, changes nothing and reaches no
/// handler.
func expectNoTransition(from first: Outcome, _ settling: Settling, _ second: SecondSettlement) {
  let context = ManualContext()
  let seen = Log<Outcome>()
  let deferred = Deferred<Int>()
  settling.settle(deferred, with: first.result) {
    deferred.promise.onSettled(on: context) { seen.append(Outcome($0)) }
  }
  #expect(!second.attempt(by: deferred))
  #expect(!onAnotherThread { second.attempt(by: deferred) })
  expect(deferred.promise, shows: first)
  #expect(context.runUntilIdle() == 1)
  #expect(seen.entries == [first])
}

/// 2.1.2.1 and 2.1.3.1: checks a second settlement by a handler that has other handlers before and after it.
func expectNoTransitionInHandler(from first: Outcome, _ settling: Settling, _ second: SecondSettlement) {
  let context = ManualContext()
  let seen = Log<Outcome>()
  let answers = Log<Bool>()
  let deferred = Deferred<Int>()
  settling.settle(deferred, with: first.result) {
    deferred.promise
      .onSettled(on: context) { seen.append(Outcome($0)) }
      .onSettled(on: context) { _ in answers.append(second.attempt(by: deferred)) }
      .onSettled(on: context) { seen.append(Outcome($0)) }
  }
  #expect(context.runUntilIdle() == 3)
  #expect(answers.entries == [false])
  #expect(seen.entries == [first, first])
  expect(deferred.promise, shows: first)
}

/// 2.1.2.2 and 2.1.3.2: checks that every read and every handler gets the identical object that the owner passed.
func expectSameObject(_ outcome: Outcome, _ settling: Settling) {
  let context = ManualContext()
  let token = Token()
  let seen = Log<ObjectIdentifier?>()
  let promise = settling.settle(with: outcome.result(with: token)) { promise in
    promise.onSettled(on: context) { seen.append($0.token.map { ObjectIdentifier($0) }) }
  }
  #expect(promise.result?.token === token)
  context.runUntilIdle()
  promise.onSettled(on: context) { seen.append($0.token.map { ObjectIdentifier($0) }) }
  context.runUntilIdle()
  #expect(seen.entries == [ObjectIdentifier(token), ObjectIdentifier(token)])
  #expect(promise.result?.token === token)
}
