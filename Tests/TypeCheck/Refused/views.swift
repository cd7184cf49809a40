// A view is not a promise, and its property `promise` is. Handlers of a view can access the state of an actor only if
// the view is on that actor, even if the view is on the main queue or follows a view on the main actor. A link of a view
// that also names a context gets a message that says what to write instead.
import Dispatch
import PromiseContexts

@MainActor final class Screen { var total = 0 }
actor Account { var balance = 0 }
nonisolated final class Cache { var hits = 0 }

nonisolated func load(_ number: Int) -> Promise<Int> { .fulfilled(number) }

func guess(_ promise: Promise<Int>) {
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

func chain(_ start: Promise<Int>, _ context: any ExecutionContext) -> Promise<Int> {
  // expect: cannot convert return expression of type 'PromiseOnContext<Int>' to return type 'Promise<Int>'
  start.on(context).map { $0 + 1 }
}

func adopt(_ start: Promise<Int>, _ context: any ExecutionContext) -> PromiseOnContext<Int> {
  // expect: cannot convert value of type 'PromiseOnContext<Int>' to closure result type 'Promise<Int>'
  start.on(context).then { value in Promise.fulfilled(value).on(context) }
}

func move(_ promise: Promise<Int>, _ from: Account, _ to: Account) {
  // expect: actor-isolated property 'balance' can not be mutated from a Sendable closure
  promise.on(.pool).tap { to.balance = $0 }
  // expect: actor-isolated property 'balance' can not be mutated from a nonisolated context
  promise.on(isolatedTo: from).tap { _, amount in to.balance = amount }
  // expect: actor-isolated property 'balance' can not be mutated from a nonisolated context
  promise.on(isolatedTo: from).onFulfilled { _, amount in to.balance = amount }
}

func show(_ promise: Promise<Int>, _ screen: Screen, _ q: DispatchQueue) {
  // expect: main actor-isolated property 'total' can not be mutated from a Sendable closure
  promise.on(q).tap { screen.total = $0 }
  // expect: main actor-isolated property 'total' can not be mutated from a Sendable closure
  promise.on(.queue(.main)).tap { screen.total = $0 }
  // expect: main actor-isolated property 'total' can not be mutated from a Sendable closure
  promise.on(.task(priority: .high)).onFulfilled { screen.total = $0 }
  // expect: main actor-isolated property 'total' can not be mutated from a Sendable closure
  promise.on(.main).on(q).tap { screen.total = $0 }
  // expect: main actor-isolated property 'total' can not be mutated from a Sendable closure
  promise.on(.main).promise.tap { screen.total = $0 }
}

// The compiler does not know that a context runs one handler at a time.
nonisolated func count(_ promise: Promise<Int>, _ cache: Cache, _ context: any ExecutionContext) {
  // expect: capture of 'cache' with non-Sendable type 'Cache' in a '@Sendable' closure
  promise.on(context).tap { _ in cache.hits += 1 }
}
