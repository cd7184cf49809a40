// Links on an actor. The closures receive the actor and may access its state.
import PromiseContexts

actor Account { var balance = 0 }

func chain(_ start: Promise<Int>, _ account: Account) -> Promise<Int> {
  start
    // repeat 5 20 40
    .map(isolatedTo: account) { $0.balance + $1 + 1 }
  // end
}
