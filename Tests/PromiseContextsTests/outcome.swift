import PromiseContexts
import TestSupport

/// The outcome of a promise, once it has one. Waits without blocking a thread.
func outcome<Value>(of promise: Promise<Value>) async -> Result<Value, any Error> {
  await withCheckedContinuation { continuation in
    promise.onSettled(on: .global()) { continuation.resume(returning: $0) }
  }
}

/// The value of a promise, once it has one; throws its error.
func value<Value>(of promise: Promise<Value>) async throws -> Value {
  try await outcome(of: promise).get()
}

/// The number of the `TestError` with which a promise is rejected in the end.
func errorNumber<Value>(of promise: Promise<Value>) async -> Int? {
  guard case .failure(let error) = await outcome(of: promise) else { return nil }
  return (error as? TestError)?.number
}
