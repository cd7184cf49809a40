// Docs/Guides/Cancellation.md, "Messages of the compiler", quotes these messages.
import PromiseContexts

func wait(for promise: Promise<Int>, _ cancelsSource: Bool) async throws {
  // expect: missing argument label 'cancelsSource:' in call
  _ = try await promise.value(cancelsSource)
  // expect: cannot call value of non-function type 'Int'
  _ = try await promise.value()
  // expect: cannot call value of non-function type 'Int'
  _ = try await promise.value(cancelSource: true)
}
