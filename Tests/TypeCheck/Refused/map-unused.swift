// A `map` whose promise is not used is a mistake, because its errors would be lost.
import PromiseContexts

func forget(_ promise: Promise<Int>) {
  // expect: result of call to 'map(to:weight:fileID:line:_:)' is unused
  promise.map { $0 + 1 }
  // expect: result of call to 'map(on:to:weight:fileID:line:_:)' is unused
  promise.map(on: .main) { $0 + 1 }
}
