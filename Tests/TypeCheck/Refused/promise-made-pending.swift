// A pending promise comes from an owner only.
import PromiseContexts

func client() -> Promise<Int> {
  // expect: missing argument for parameter 'catching' in call
  Promise<Int>()
}
