// `catch` reads the error and passes it on. `recover` and `rescue` change the outcome.
import PromiseContexts

func report(_ promise: Promise<Int>) {
  // expect: invalid conversion from throwing function of type
  promise.catch { error in throw error }
}
