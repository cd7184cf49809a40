// Chains of links in views.
import Dispatch
import PromiseContexts

@MainActor final class Screen { var total = 0 }
actor Account {
  var balance = 0
  func next(_ value: Int) -> Promise<Int> { .fulfilled(value + balance) }
}

nonisolated func next(_ value: Int) -> Promise<Int> { .fulfilled(value + 1) }
nonisolated func fetch(_ value: Int) async throws -> Int { value + 1 }
@MainActor func nextOnMain(_ value: Int) -> Promise<Int> { .fulfilled(value + 1) }

func chain(_ start: Promise<Int>, _ q: DispatchQueue, _ screen: Screen, _ account: Account) -> Promise<Int> {
  start
    // case queue: a view on a queue, so that no link names the queue
    .on(q)
    // repeat 5 20 40
    .map { $0 + 1 }
    // end
    // case main: a view on the main actor, whose closures may access `@MainActor` state
    .on(.main)
    // repeat 5 20 40
    .map { screen.total + $0 + 1 }
    .then { nextOnMain($0) }
    .tap { screen.total = $0 }
    .recover { _ in screen.total }
    .onFulfilled { screen.total = $0 }
    // end
    // case actor: a view on an actor, whose closures receive the actor and may access its state
    .on(isolatedTo: account)
    // repeat 5 20 40
    .map { $0.balance + $1 + 1 }
    .then { account, value in account.next(value) }
    .tap { $0.balance = $1 }
    .recover { account, _ in account.balance }
    .onFulfilled { $0.balance = $1 }
    // end
    // case dot: contexts whose names begin with a dot, which change at every link
    .on(.pool)
    // repeat 5 20 40
    .on(.queue(q)).map { $0 + 1 }
    .on(.concurrent(q)).map { $0 + 1 }
    .on(.global(qos: .utility)).map { $0 + 1 }
    .on(.task(priority: .low)).map { $0 + 1 }
    .on(.executor(globalConcurrentExecutor)).map { $0 + 1 }
    // end
    // case async: async closures on the main actor and on actors
    // repeat 5 20 40
    .on(.pool).asyncMap { try await fetch($0) }
    .on(.main).asyncMap { try await fetch(screen.total + $0) }
    .on(isolatedTo: account).asyncMap { try await fetch($0.balance + $1) }.promise
    .asyncMap(on: .main) { try await fetch(screen.total + $0) }
    .asyncTap(isolatedTo: account) { $0.balance = $1 }
    // end
    .on(q)
    // case mixed: views that change and return to the promise, with closures of several statements
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
    // end cases
    .promise
}
