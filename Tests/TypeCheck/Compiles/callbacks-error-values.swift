// Promises whose value is an error or may be absent. Calls of `resolve` are not ambiguous, and callbacks of both shapes
// can be passed.
import PromiseContexts

struct Refusal: Error {}

func valueError<Value>(_ done: @escaping @Sendable (Value?, (any Error)?) -> Void) {}
func errorValue<Value>(_ done: @escaping @Sendable ((any Error)?, Value?) -> Void) {}

func calls(_ error: any Error, _ refusal: Refusal) -> [Any] {
  [
    Promise<Int?> { $0.resolve(nil, nil) },
    Promise<Int?> { $0.resolve(1, nil) },
    Promise<Int?> { $0.resolve(nil, error) },
    Promise<Int?> { $0.resolve(error, nil) },
    Promise<any Error> { $0.resolve(error, nil) },
    Promise<any Error> { $0.resolve(nil, nil) },
    Promise<(any Error)?> { $0.resolve(error, nil) },
    Promise<(any Error)?> { $0.resolve(nil, nil) },
    Promise<Refusal> { $0.resolve(refusal, nil) },
    Promise<Refusal> { $0.resolve(nil, error) },
    Promise<Refusal?> { $0.resolve(nil, nil) },
    Promise<Int> { $0.resolve(1, nil) },
    Promise<Int> { $0.resolve(error, nil) },
    Promise<Bool> { $0.resolve(true, nil) },
    Promise<Bool> { $0.resolve(error, nil) },
  ]
}

func callbacks() -> [Any] {
  [
    Promise<Int?> { valueError($0.resolve as @Sendable (Int?, (any Error)?) -> Void) },
    Promise<Int?> { errorValue($0.resolve as @Sendable ((any Error)?, Int?) -> Void) },
    Promise<Refusal> { valueError($0.resolve as @Sendable (Refusal?, (any Error)?) -> Void) },
    Promise<Refusal> { errorValue($0.resolve as @Sendable ((any Error)?, Refusal?) -> Void) },
    Promise<any Error> { valueError($0.resolve as @Sendable ((any Error)?, (any Error)?) -> Void) },
  ]
}
