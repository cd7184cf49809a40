// The value itself is out of reach.
import PromiseContexts

func client(_ promise: Promise<Int>) {
  // expect: 'value' is inaccessible due to 'internal' protection level
  promise.value = 1
  // expect: 'storedValue' is inaccessible due to 'internal' protection level
  unsafe promise.storedValue = 1
}
