// Likely mistakes with the arguments of `cancel`.
import PromiseContexts

func cancel(_ promise: Promise<Int>, _ upstream: Bool) {
  // expect: missing argument label 'reason:' in call
  // expect: argument type 'Bool' does not conform to expected type 'Error'
  promise.cancel(upstream)
  // expect: argument passed to call that takes no arguments
  promise.cancel(up: true)
  // expect: argument type 'String' does not conform to expected type 'Error'
  promise.cancel(reason: "left")
  // expect: use `cancel(upstream: true)`, which also gives up the work behind the promise
  promise.abandon()
}
