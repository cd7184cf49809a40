// A client cannot access the storage of the value.
import PromiseContexts

func client(_ promise: Promise<Int>) {
  // expect: 'fulfilledValue' is inaccessible due to 'internal' protection level
  _ = promise.fulfilledValue
  // expect: 'payload' is inaccessible due to 'internal' protection level
  promise.payload = promise.payload
}
