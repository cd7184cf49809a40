// No code takes the derived promise.
import PromiseContexts

func forget(_ promise: Promise<Int>) {
  // expect: result of call to 'asyncMap(priority:to:weight:fileID:line:_:)' is unused
  promise.asyncMap { $0 + 1 }
  // expect: result of call to 'asyncRecover(priority:fileID:line:_:)' is unused
  promise.asyncRecover { _ in 0 }
}
