// A client cannot create a pending promise without an owner.
import PromiseContexts

func client() -> Promise<Int> {
  // expect: missing argument for parameter 'catching' in call
  Promise<Int>()
}
