// Methods that are passed as functions are `@Sendable`, even where the compiler does not infer it. No mode warns.
// modes: plain main-actor swift5 swift5-complete swift5-main
import PromiseContexts

func value(_ done: @escaping @Sendable (Int) -> Void) {}
func valueError(_ done: @escaping @Sendable (Int?, (any Error)?) -> Void) {}
func errorValue(_ done: @escaping @Sendable ((any Error)?, Int?) -> Void) {}
func two(_ done: @escaping @Sendable (Int?, Int?, (any Error)?) -> Void) {}
func result(_ done: @escaping @Sendable (Result<Int, any Error>) -> Void) {}
func flag(_ done: @escaping @Sendable (Bool, (any Error)?) -> Void) {}
func nothing(_ done: @escaping @Sendable () -> Void) {}
func error(_ done: @escaping @Sendable ((any Error)?) -> Void) {}
func failed(_ done: @escaping @Sendable (any Error) -> Void) {}
func answering<Argument>(_ done: @escaping @Sendable (Argument) -> Bool) {}
func answering(_ done: @escaping @Sendable () -> Bool) {}

func pass(_ deferred: Deferred<Int>, _ optional: Deferred<Int?>) {
  value(deferred.resolve)
  valueError(deferred.resolve)
  valueError(optional.resolve)
  errorValue(deferred.resolve)
  errorValue(optional.resolve)
  result(deferred.resolve)
  failed(deferred.reject)
  answering(deferred.fulfill as @Sendable (Int) -> Bool)
  answering(deferred.follow as @Sendable (Promise<Int>) -> Bool)
  answering(deferred.report(progress:) as @Sendable (Double) -> Bool)
}

func pass(_ pair: Deferred<(Int, Int)>, _ bool: Deferred<Bool>, _ void: Deferred<Void>) {
  two(pair.resolve)
  flag(bool.resolve)
  nothing(void.resolve)
  error(void.resolve)
  answering(void.fulfill as @Sendable () -> Bool)
}

func pass(_ promise: Promise<Int>, _ other: Deferred<Int>) {
  nothing(promise.cancel)
  failed { promise.cancel(reason: $0) }
  other.onCancel { promise.cancel(reason: $0) }
}
