// A handler on the pool or on a queue cannot access the state of the main actor, even if the queue is the main queue.
// `isolatedTo:` does not isolate a closure to the main actor either. The compiler checks the isolation of observers as it
// checks that of links. A closure that is isolated to one actor cannot access the state of another.
// modes: plain main-actor swift5 swift5-complete
import Dispatch
import PromiseContexts

@MainActor final class Screen { var total = 0 }
actor Account { var balance = 0 }

@MainActor func format(_ value: Int) -> String { "\(value)" }

func show(_ promise: Promise<Int>, _ screen: Screen, _ q: DispatchQueue) {
  // expect: main actor-isolated property 'total' can not be mutated from a Sendable closure
  promise.tap { screen.total = $0 }
  // expect: main actor-isolated property 'total' can not be mutated from a Sendable closure
  promise.onFulfilled { screen.total = $0 }
  // expect: main actor-isolated property 'total' can not be mutated from a Sendable closure
  promise.tap(on: .pool) { screen.total = $0 }
  // expect: main actor-isolated property 'total' can not be mutated from a Sendable closure
  promise.tap(on: q) { screen.total = $0 }
  // expect: main actor-isolated property 'total' can not be mutated from a Sendable closure
  promise.tap(on: .queue(q)) { screen.total = $0 }
  // expect: main actor-isolated property 'total' can not be mutated from a Sendable closure
  promise.tap(on: DispatchQueue.main) { screen.total = $0 }
  // expect: main actor-isolated property 'total' can not be mutated from a nonisolated context
  promise.tap(isolatedTo: MainActor.shared) { _, total in screen.total = total }
}

func text(_ promise: Promise<Int>) -> Promise<String> {
  // expect: call to main actor-isolated global function 'format' in a synchronous nonisolated context
  promise.map { format($0) }
}

func move(_ promise: Promise<Int>, _ from: Account, _ to: Account) {
  // expect: actor-isolated property 'balance' can not be mutated from a nonisolated context
  promise.tap(isolatedTo: from) { _, amount in to.balance = amount }
}
