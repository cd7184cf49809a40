// Only the owner settles a promise, and the message says so. Static first guesses with the same names keep their own
// messages.
import PromiseContexts

func client(_ promise: Promise<Int>, _ error: any Error) {
  // expect: 'reject' is unavailable: only the owner settles a promise: call `reject(error)` of the `Deferred` that made it
  promise.reject(error)
  // expect: 'resolve' is unavailable: only the owner settles a promise: call `fulfill(value)` of the `Deferred` that made it
  promise.resolve(1)
  // expect: 'reject' is unavailable: use `Promise.rejected(error)`
  _ = Promise<Int>.reject(error)
  // expect: 'resolve' is unavailable: use `Promise.fulfilled(value)`
  _ = Promise.resolve(1)
}
