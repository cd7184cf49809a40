// A closure that is isolated to one actor cannot access the state of another.
// modes: plain main-actor swift5 swift5-complete
import PromiseContexts

actor Account { var balance = 0 }

func move(_ promise: Promise<Int>, _ from: Account, _ to: Account) {
  // expect: actor-isolated property 'balance' can not be mutated from a nonisolated context
  promise.tap(isolatedTo: from) { _, amount in to.balance = amount }
}
