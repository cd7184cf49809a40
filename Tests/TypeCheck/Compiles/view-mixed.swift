// A chain that changes from view to view and back to the promise, with closures of several statements and links that
// change the type.
import Dispatch
import PromiseContexts

@MainActor final class Screen { var total = 0 }
actor Account { var balance = 0 }

nonisolated func next(_ value: Int) -> Promise<Int> { .fulfilled(value + 1) }

func chain(_ start: Promise<Int>, _ q: DispatchQueue, _ screen: Screen, _ account: Account) -> Promise<Int> {
  start
    .on(.pool)
    // repeat 5 20 40
    .on(q).map { $0 + 1 }
    .on(.main).tap { value in
      print(value)
      screen.total = value
    }
    .on(isolatedTo: account).map { account, value in
      account.balance = value
      return account.balance + 1
    }
    .on(.queue(q)).then { value in
      print(value)
      return next(value)
    }
    .promise.map { $0 + 1 }.on(.main)
    .map { "\($0)" }.map { $0.count + screen.total }
    .onFulfilled { screen.total = $0 }
    .recover { _ in 0 }
    // end
    .promise
}
