// Docs/Guides/Cancellation.md, "Messages of the compiler", quotes these messages.
import PromiseContexts

func cancel(_ promise: Promise<Int>, _ upstream: Bool) {
  // expect: missing argument label 'reason:' in call
  // expect: argument type 'Bool' does not conform to expected type 'Error'
  promise.cancel(upstream)
  // expect: argument passed to call that takes no arguments
  promise.cancel(up: true)
  // expect: argument type 'String' does not conform to expected type 'Error'
  promise.cancel(reason: "left")
  // expect: value of type 'Promise<Int>' has no member 'abandon'
  promise.abandon()
}
