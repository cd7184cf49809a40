// An observer has no promise of its own that a throw could reject.
import PromiseContexts

nonisolated func save(_ value: Int) throws {}

func keep(_ promise: Promise<Int>) {
  // expect: invalid conversion from throwing function of type
  promise.onFulfilled { try save($0) }
}
