// A file in the middle of a migration from PromiseKit. No hint of this library hides a function of PromiseKit, or makes
// its call ambiguous.
// modes: plain swift5 swift5-complete
import Dispatch
import PromiseCombinators
@preconcurrency import PromiseKit

import class PromiseCombinators.Promise

typealias OldPromise = PromiseKit.Promise

func old(_ number: Int) -> OldPromise<Int> { .value(number) }
func names() -> OldPromise<[String]> { .value([]) }
func load(_ number: Int) -> Promise<Int> { .fulfilled(number) }

extension PromiseKit.Promise where T: Sendable {
  func moved() -> Promise<T> {
    Promise { deferred in
      pipe { result in
        switch result {
        case .fulfilled(let value): deferred.fulfill(value)
        case .rejected(let error): deferred.reject(error)
        }
      }
    }
  }
}

extension Promise {
  func forPromiseKit() -> PromiseKit.Promise<Value> {
    PromiseKit.Promise { seal in
      onSettled { result in
        switch result {
        case .success(let value): seal.fulfill(value)
        case .failure(let error): seal.reject(error)
        }
      }
    }
  }
}

func making() {
  _ = OldPromise<Int>.pending()
  _ = OldPromise<Int> { seal in seal.fulfill(1) }
  _ = OldPromise<Int> { seal in seal.resolve(1, nil) }
  _ = OldPromise<Int>(error: PMKError.badInput)
  _ = OldPromise()
  _ = Guarantee()
  _ = Guarantee.value(1)
  _ = Guarantee<Int> { seal in seal(1) }
  _ = DispatchQueue.global().async(.promise) { 1 }
  _ = after(seconds: 1)
  _ = after(.seconds(1))
}

func chains() {
  firstly { old(1) }.then { old($0) }.map { $0 + 1 }.done { print($0) }.ensure { print("end") }.catch { print($0) }
  firstly {
    print("begin")
    return race(old(1), old(2))
  }.then { old($0) }.get { print($0) }.tap { print($0) }.compactMap { Int?.some($0) }.done { print($0) }.cauterize()
  old(1).ensureThen { after(seconds: 1) }.recover { error -> OldPromise<Int> in
    guard error is PMKError else { throw error }
    return old(0)
  }.done(on: .main) { print($0) }.catch(on: .main, policy: .allErrors) { print($0) }.finally { print("end") }
  old(1).recover { _ in old(2) }.cauterize()
  old(1).recover { _ in Guarantee.value(2) }.done { print($0) }
  old(1).asVoid().recover { _ in }.done { print("x") }
  names().mapValues { $0 + "!" }.thenMap { old($0.count) }.done { print($0) }.cauterize()
}

func several() {
  _ = when(fulfilled: [old(1), old(2)])
  _ = when(fulfilled: old(1), names())
  when(fulfilled: old(1), names()).done { number, names in print(number, names) }.cauterize()
  when(fulfilled: [old(1), old(2)]).map { $0.reduce(0, +) }.done { print($0) }.cauterize()
  _ = when(fulfilled: old(1), names(), old(2))
  _ = when(fulfilled: [old(1).asVoid(), old(2).asVoid()])
  _ = when(resolved: [old(1), old(2)])
  _ = when(resolved: old(1), old(2))
  _ = when(guarantees: [Guarantee.value(1)])
  _ = when(Guarantee.value(1), Guarantee.value(1))
  _ = when(fulfilled: AnyIterator { Optional<OldPromise<Int>>.none }, concurrently: 2)
  _ = race(old(1), old(2))
  _ = race(old(1).asVoid(), after(seconds: 1).done {}.map { throw PMKError.cancelled })
  _ = race(fulfilled: [old(1), old(2)])
}

func moving() {
  firstly { old(1) }.moved().then { load($0) }.tap { print($0) }.catch { print($0) }.onSettled { _ in print("end") }
  when(fulfilled: load(1).forPromiseKit(), names()).done { number, names in print(number, names) }.cauterize()
  _ = Promise.all(old(1).moved(), load(1)).timeout(.seconds(1)).map { $0 + $1 }
  _ = Promise.race(load(1), load(2)).recover { _ in 0 }
  _ = Promise<Int> { deferred in deferred.fulfill(1) }
  _ = load(1).asResult().map { (result: Swift.Result<Int, any Error>) in try result.get() }
}
