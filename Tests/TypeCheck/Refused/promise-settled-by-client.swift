// Only the owner settles: a client has no method for it.
import PromiseContexts

func client(_ promise: Promise<Int>) {
  // expect: value of type 'Promise<Int>' has no member 'fulfill'
  promise.fulfill(1)
}
