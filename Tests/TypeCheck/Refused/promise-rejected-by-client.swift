// Only the owner settles: a client has no method for it.
import PromiseContexts

func client(_ promise: Promise<Int>, _ error: any Error) {
  // expect: static member 'reject' cannot be used on instance of type 'Promise<Int>'
  promise.reject(error)
}
