// A file in the middle of a migration from google/promises. No hint of this library hides a function of that library,
// or makes its call ambiguous.
// modes: plain swift5 swift5-complete
import Dispatch
import PromiseCombinators
@preconcurrency import Promises

import class PromiseCombinators.Promise

typealias OldPromise = Promises.Promise

struct Failure: Error {}

func old(_ number: Int) -> OldPromise<Int> { OldPromise(number) }
func names() -> OldPromise<[String]> { OldPromise(["a"]) }
func load(_ number: Int) -> Promise<Int> { .fulfilled(number) }

extension Promises.Promise where Value: Sendable {
  func moved() -> PromiseCombinators.Promise<Value> {
    PromiseCombinators.Promise { deferred in
      then(on: .global()) { deferred.fulfill($0) }.catch(on: .global()) { deferred.reject($0) }
    }
  }
}

extension PromiseCombinators.Promise {
  func forGooglePromises() -> Promises.Promise<Value> {
    let promise = Promises.Promise<Value>.pending()
    onFulfilled { promise.fulfill($0) }.onRejected { promise.reject($0) }
    return promise
  }
}

func making() {
  let pending = OldPromise<Int>.pending()
  pending.fulfill(1)
  pending.reject(Failure())
  _ = OldPromise<Int>()
  _ = OldPromise<Int>(Failure())
  _ = OldPromise<Int>(on: .main) { fulfill, reject in fulfill(1) }
  _ = OldPromise<Int>(on: .global()) { 1 }
  _ = OldPromise<Int> { old(1) }
  _ = wrap { (done: @escaping (Int?, (any Error)?) -> Void) in done(1, nil) }
}

func chains() {
  old(1).then { old($0) }.then { $0 + 1 }.then { print($0) }.always { print("end") }.catch { print($0) }
  old(1).then(on: .global()) { $0 + 1 }.validate { $0 > 0 }.timeout(1).delay(1).recover { _ in 0 }.then { print($0) }
  old(1).recover { _ in old(2) }.catch { print($0) }
  old(1).reduce(1, 2, 3) { sum, number in old(sum + number) }.then { print($0) }
}

func several() {
  all([old(1), old(2)]).then { print($0) }
  all(old(1), names()).then { number, names in print(number, names) }
  any([old(1), old(2)]).then { print($0) }
  any(old(1), names()).then { print($0) }
  race(old(1), old(2)).then { print($0) }
  race([old(1), old(2)]).then { print($0) }
  retry { old(1) }.then { print($0) }
  retry(attempts: 3, delay: 2) { old(1) }.then { print($0) }
  retry(attempts: 3, delay: 2, condition: { count, error in count > 1 }) { old(1) }.then { print($0) }
  _ = waitForPromises(timeout: 1)
  _ = try? awaitPromise(old(1))
}

func moving() {
  old(1).moved().then { load($0) }.tap { print($0) }.catch { print($0) }
  all(load(1).forGooglePromises(), names()).then { number, names in print(number, names) }
  _ = Promise.all(old(1).moved(), load(1)).timeout(.seconds(1)).map { $0 + $1 }
  _ = Promise.any([load(1), load(2)]).recover { _ in 0 }
  _ = Promise.retry(attempts: 3) { load(1) }
  load(1).onRejected { error in
    if PromiseCombinators.PromiseError.Code.timedOut ~= error { print("late") }
    if case Promises.PromiseError.timedOut = error { print("late") }
  }
}
