// `catch` looks at the error and passes it on. To change the outcome there are `recover` and `rescue`.
import PromiseContexts

func report(_ promise: Promise<Int>) {
  // expect: invalid conversion from throwing function of type
  promise.catch { error in throw error }
}
