// Likely mistakes with the arguments of `cancel`, `value` and contexts. Docs/Guides/Cancellation.md, "Messages of the
// compiler", quotes those about `value`.
import PromiseContexts

actor Account { var balance = 0 }

func cancel(_ promise: Promise<Int>, _ upstream: Bool) {
  // expect: missing argument label 'reason:' in call
  // expect: argument type 'Bool' does not conform to expected type 'Error'
  promise.cancel(upstream)
  // expect: argument passed to call that takes no arguments
  promise.cancel(up: true)
  // expect: argument type 'String' does not conform to expected type 'Error'
  promise.cancel(reason: "left")
  // expect: 'abandon()' is unavailable: use `cancel(upstream: true)`, which also gives up the work behind the promise
  promise.abandon()
}

func wait(for promise: Promise<Int>, _ cancelsSource: Bool) async throws {
  // expect: missing argument label 'cancelsSource:' in call
  _ = try await promise.value(cancelsSource)
  // expect: cannot call value of non-function type 'Int'
  _ = try await promise.value()
  // expect: cannot call value of non-function type 'Int'
  _ = try await promise.value(cancelSource: true)
}

// Awaiting a value needs `try`, because the promise may be rejected.
nonisolated func sum(_ promise: Promise<Int>) async -> Int {
  // expect: property access can throw
  await promise.value
}

func chain(_ promise: Promise<Int>, _ account: Account) {
  // expect: missing argument label 'isolatedTo:' in call
  _ = promise.on(account)
  // expect: argument type 'Account' does not conform to expected type 'ExecutionContext'
  promise.tap(on: account) { print($0) }
  // expect: name the queue: `on: .queue(queue)`, or `on: queue`
  _ = promise.map(on: .queue) { $0 + 1 }
  // expect: name the queue: `on: .concurrent(queue)`
  _ = promise.map(on: .concurrent) { $0 + 1 }
  // expect: name the executor: `on: .executor(executor)`
  _ = promise.map(on: .executor) { $0 + 1 }
}
