// An owner owns one promise for ever.
import PromiseContexts

func owner(_ deferred: Deferred<Int>, _ promise: Promise<Int>) {
  // expect: cannot assign to property: 'promise' is a get-only property
  deferred.promise = promise
}
