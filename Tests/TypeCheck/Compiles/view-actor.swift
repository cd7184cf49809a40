// A view on an actor. The closures receive the actor and may access its state.
import PromiseContexts

actor Account {
  var balance = 0
  func next(_ value: Int) -> Promise<Int> { .fulfilled(value + balance) }
}

func chain(_ start: Promise<Int>, _ account: Account) -> Promise<Int> {
  start
    .on(isolatedTo: account)
    // repeat 5 20 40
    .map { $0.balance + $1 + 1 }
    .then { account, value in account.next(value) }
    .tap { $0.balance = $1 }
    .recover { account, _ in account.balance }
    .onFulfilled { $0.balance = $1 }
    // end
    .promise
}
