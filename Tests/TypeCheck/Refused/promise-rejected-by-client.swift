// Only the owner settles: a client has no method for it.
import PromiseContexts

func client(_ promise: Promise<Int>, _ error: any Error) {
  // expect: value of type 'Promise<Int>' has no member 'reject'
  promise.reject(error)
}
