// Chains of links. The links of a case are repeated.
import Dispatch
import PromiseContexts

@MainActor final class Screen { var total = 0 }
actor Account { var balance = 0 }
struct Failure: Error {}

nonisolated func next(_ value: Int) -> Promise<Int> { .fulfilled(value + 1) }
@MainActor func nextOnMain(_ value: Int) -> Promise<Int> { .fulfilled(value + 1) }

func chain(
  _ start: Promise<Int>, _ context: any ExecutionContext, _ q: DispatchQueue, _ screen: Screen, _ account: Account
) -> Promise<Int> {
  start
    // repeat 5 20 40
    // case pool: links without a context, which run on the pool
    .map { $0 + 1 }
    // case main: links on the main actor, whose closures may access `@MainActor` state
    .map(on: .main) { screen.total + $0 + 1 }
    // case isolated: links on an actor, whose closures receive the actor and may access its state
    .map(isolatedTo: account) { $0.balance + $1 + 1 }
    // case queue: links on a dispatch queue, which is a context itself
    .map(on: q) { $0 + 1 }
    // case dot-queue: links on a dispatch queue, spelt `.queue(q)`
    .map(on: .queue(q)) { $0 + 1 }
    // case any-context: links on a context of which only the protocol is known, as in a library
    .map(on: context) { $0 + 1 }
    // case then: links whose closures return promises
    .then { next($0) }
    // case then-main: links on the main actor whose closures return promises
    .then(on: .main) { nextOnMain($0) }
    // case then-fulfilled: closures that create the promises, so that the type of each must be inferred as well
    .then { .fulfilled($0 + 1) }
    .then { Promise.fulfilled($0 + 1) }
    // case then-rejected: closures that always reject, and closures that may reject
    .then { $0 > 0 ? next($0) : .rejected(Failure()) }
    .rescue { .rejected($0) }
    .then { value in
      guard value > 0 else { return .rejected(Failure()) }
      return next(value)
    }
    // case two-handlers: the forms with two handlers
    .map(fulfilled: { $0 + 1 }, rejected: { _ in 0 })
    .then(on: .main, fulfilled: { .fulfilled(screen.total + $0) }, rejected: { .rejected($0) })
    // case observers: observers, which return the promise itself
    .onFulfilled(on: .main) { screen.total = $0 }
    .onRejected(on: q) { print($0) }
    .onSettled { print($0) }
    // case dump: `dump` behind several statements, where `print` is refused (Refused/print-after-statements.swift)
    .map { value in
      let sum = value + 1
      print(sum)
      return sum
    }
    .dump("sum")
    // case statements-print: the same with `print`. With `to:`, the first closure has a known result
    .map(to: Int.self) { value in
      let sum = value + 1
      print(sum)
      return sum
    }
    .tap { print($0) }
    // case statements-twice: `print` and another statement behind several statements, which need no `to:`
    .map { value in
      let sum = value + 1
      print(sum)
      return sum
    }
    .tap { value in
      print("now")
      print(value)
    }
    // case statements: closures of several statements that contain `print`
    .map { value in
      let sum = value + 1
      print(sum)
      return sum
    }
    .then { value in
      print(value)
      return next(value)
    }
    .tap(on: .main) { value in
      print(value)
      screen.total = value
    }
    .map(on: .main) { value in
      if value > 1 { print(value) }
      return value + screen.total
    }
    .recover { error in
      print(error)
      return 0
    }
    // case mixed: a realistic chain, with all kinds of links and contexts, and with literals in them
    .map { $0 + 1 }
    .then(on: q) { next($0) }
    .tap(on: .main) { screen.total = $0 }
    .map(isolatedTo: account) { $0.balance + $1 }
    .recover(on: .queue(q)) { _ in 0 }
    .validate { $0 > 0 }
    .compactMap(on: .main) { $0 > 1 ? $0 : nil }
    .catch(on: .main) { print(screen.total, $0) }
    .then(on: .global()) { .fulfilled($0 * 2) }
    .always(on: .pool) { print($0) }
  // end cases
  // end
}
