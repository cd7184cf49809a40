// A view, or a `map` in it, that nobody takes is a mistake.
import PromiseContexts

func forget(_ promise: Promise<Int>) {
  // expect: result of call to 'on' is unused
  promise.on(.main)
  // expect: result of call to 'map(to:weight:fileID:line:_:)' is unused
  promise.on(.pool).map { $0 + 1 }
}
