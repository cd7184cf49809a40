// `on:` takes contexts. An actor is passed as `isolatedTo:`.
import PromiseContexts

actor Account { var balance = 0 }

func chain(_ promise: Promise<Int>, _ account: Account) {
  // expect: missing argument label 'isolatedTo:' in call
  _ = promise.on(account)
  // expect: argument type 'Account' does not conform to expected type 'ExecutionContext'
  promise.tap(on: account) { print($0) }
}
