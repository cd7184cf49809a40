// An owner cannot replace its promise.
import PromiseContexts

func owner(_ deferred: Deferred<Int>, _ promise: Promise<Int>) {
  // expect: cannot assign to property: 'promise' is a get-only property
  deferred.promise = promise
}
