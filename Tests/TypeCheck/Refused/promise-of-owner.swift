// Only the owner settles a promise. A client has no method for it, and the message says so. A client can neither write
// to a promise nor create a pending one without an owner, and the owner cannot replace its promise. Static first guesses
// with the names of the owner's methods keep their own messages.
import PromiseContexts

func client(_ promise: Promise<Int>, _ nothing: Promise<Void>, _ error: any Error) {
  // expect: 'fulfill' is unavailable: only the owner settles a promise: call `fulfill(value)` of the `Deferred` that made it
  promise.fulfill(1)
  // expect: 'fulfill()' is unavailable: only the owner settles a promise: call `fulfill()` of the `Deferred` that made it
  nothing.fulfill()
  // expect: 'reject' is unavailable: only the owner settles a promise: call `reject(error)` of the `Deferred` that made it
  promise.reject(error)
  // expect: 'resolve' is unavailable: only the owner settles a promise: call `fulfill(value)` of the `Deferred` that made it
  promise.resolve(1)
  // expect: 'reject' is unavailable: use `Promise.rejected(error)`
  _ = Promise<Int>.reject(error)
  // expect: 'resolve' is unavailable: use `Promise.fulfilled(value)`
  _ = Promise.resolve(1)
  // expect: cannot assign to property: 'state' is a get-only property
  promise.state = .fulfilled(1)
  // expect: cannot assign to property: 'result' is a get-only property
  promise.result = .success(1)
  // expect: 'fulfilledValue' is inaccessible due to 'internal' protection level
  _ = promise.fulfilledValue
  // expect: 'payload' is inaccessible due to 'internal' protection level
  promise.payload = promise.payload
  // expect: 'init()' is unavailable: use `Deferred<Value>()`, whose `promise` is pending
  _ = Promise<Int>()
}

func owner(_ deferred: Deferred<Int>, _ promise: Promise<Int>) {
  // expect: cannot assign to property: 'promise' is a get-only property
  deferred.promise = promise
}
