// A link of a view that also names a context. The message says what to write instead.
import Dispatch
import PromiseContexts

nonisolated func load(_ number: Int) -> Promise<Int> { .fulfilled(number) }

func guess(_ promise: Promise<Int>, _ other: Promise<Int>, _ names: Promise<String>) {
  // expect: 'map(on:_:)' is unavailable: a view already says where its handlers run: `view.on(context).map { … }`
  _ = promise.on(.main).map(on: .pool) { $0 + 1 }
  // expect: 'map(on:_:)' is unavailable: a view already says
  _ = promise.on(DispatchQueue.main).map(on: .main) { $0 + 1 }
  // expect: 'tap(on:_:)' is unavailable: a view already says
  promise.on(.main).tap(on: DispatchQueue.main) { print($0) }
  // expect: 'then(on:_:)' is unavailable: a view already says
  _ = promise.on(.main).then(on: .pool) { load($0) }
  // expect: 'catch(on:_:)' is unavailable: a view already says
  promise.on(.main).catch(on: .pool) { print($0) }
}
