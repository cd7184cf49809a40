// Handlers of a view can access the state of an actor only if the view is on that actor.
import PromiseContexts

actor Account { var balance = 0 }

func move(_ promise: Promise<Int>, _ from: Account, _ to: Account) {
  // expect: actor-isolated property 'balance' can not be mutated from a Sendable closure
  promise.on(.pool).tap { to.balance = $0 }
  // expect: actor-isolated property 'balance' can not be mutated from a nonisolated context
  promise.on(isolatedTo: from).tap { _, amount in to.balance = amount }
  // expect: actor-isolated property 'balance' can not be mutated from a nonisolated context
  promise.on(isolatedTo: from).onFulfilled { _, amount in to.balance = amount }
}
