// A closure can access the state of an actor only with `isolatedTo:`.
import PromiseContexts

actor Account { var balance = 0 }

func balance(_ promise: Promise<Int>, _ account: Account) -> Promise<Int> {
  // expect: actor-isolated property 'balance' can not be referenced from a Sendable closure
  promise.map { account.balance + $0 }
}
