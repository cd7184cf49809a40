// Misuse of the links that leave cancellations alone, of outcomes as values, and of time limits.
import PromiseCombinators

private struct Offline: Error {}

func guess(_ promise: Promise<Int>, _ backup: @escaping @Sendable () -> Promise<Int>) {
  // expect: cannot convert value of type 'Promise<Int>' to closure result type 'Int'
  _ = promise.recoverFailure { _ in backup() }
  // expect: cannot convert value of type 'Int' to closure result type 'Promise<Int>'
  _ = promise.rescueFailure { _ in 7 }
  // expect: cannot convert value of type 'Offline' to expected argument type 'E.Type'
  promise.catchFailure(only: Offline()) { _ in }
  // expect: cannot convert value of type '()' to closure result type 'Bool'
  _ = promise.markCancelled { error in print(error) }
  // expect: binary operator '==' cannot be applied to two 'any Error' operands
  _ = promise.markCancelled { $0 == Offline() }
  // expect: cannot convert value of type 'Offline.Type' to expected argument type '@Sendable (any Error) -> Bool'
  _ = promise.markCancelled(Offline.self)
  // expect: cannot convert value of type 'Result<Int, any Error>' to expected argument type 'Int'
  _ = promise.asResult().map { $0 + 1 }
  // expect: cannot convert value of type 'Int' to expected argument type 'Duration'
  _ = promise.timeout(5, error: Offline())
  // expect: missing argument label 'error:' in call
  _ = promise.timeout(.seconds(5), Offline())
  // expect: argument type 'Offline.Type' does not conform to expected type 'Error'
  _ = promise.timeout(.seconds(5), error: Offline.self)
  // expect: cannot convert value of type 'Int?' to expected argument type 'Int'
  _ = promise.timeoutOrNil(.seconds(5)).map { $0 + 1 }
}
