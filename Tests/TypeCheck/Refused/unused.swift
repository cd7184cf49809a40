// A promise or a view that is not used is a mistake, because the errors of the promise would be lost.
import PromiseContexts

nonisolated func next(_ value: Int) -> Promise<Int> { .fulfilled(value + 1) }

func forget(_ promise: Promise<Int>) {
  // expect: result of call to 'map(to:weight:fileID:line:_:)' is unused
  promise.map { $0 + 1 }
  // expect: result of call to 'map(on:to:weight:fileID:line:_:)' is unused
  promise.map(on: .main) { $0 + 1 }
  // expect: result of call to 'then(to:weight:fileID:line:_:)' is unused
  promise.then { next($0) }
  // expect: result of call to 'asyncMap(priority:to:weight:fileID:line:_:)' is unused
  promise.asyncMap { $0 + 1 }
  // expect: result of call to 'asyncRecover(priority:fileID:line:_:)' is unused
  promise.asyncRecover { _ in 0 }
  // expect: result of call to 'on' is unused
  promise.on(.main)
  // expect: result of call to 'map(to:weight:fileID:line:_:)' is unused
  promise.on(.pool).map { $0 + 1 }
}
