// The state of a promise is read-only.
import PromiseContexts

func client(_ promise: Promise<Int>) {
  // expect: cannot assign to property: 'state' is a get-only property
  promise.state = .fulfilled(1)
  // expect: cannot assign to property: 'result' is a get-only property
  promise.result = .success(1)
}
