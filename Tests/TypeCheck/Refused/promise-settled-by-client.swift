// Only the owner settles a promise. A client has no method for it.
import PromiseContexts

func client(_ promise: Promise<Int>, _ nothing: Promise<Void>) {
  // expect: 'fulfill' is unavailable: only the owner settles a promise: call `fulfill(value)` of the `Deferred` that made it
  promise.fulfill(1)
  // expect: 'fulfill()' is unavailable: only the owner settles a promise: call `fulfill()` of the `Deferred` that made it
  nothing.fulfill()
}
