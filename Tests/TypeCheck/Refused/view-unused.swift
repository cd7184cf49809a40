// A view that is not used is a mistake, and so is a `map` of a view.
import PromiseContexts

func forget(_ promise: Promise<Int>) {
  // expect: result of call to 'on' is unused
  promise.on(.main)
  // expect: result of call to 'map(to:weight:fileID:line:_:)' is unused
  promise.on(.pool).map { $0 + 1 }
}
