import TestSupport

/// Returns the outcome of a promise when it is settled. Waits without blocking a thread.
func outcome<Value>(of promise: Promise<Value>) async -> Result<Value, any Error> {
  await withCheckedContinuation { continuation in
    promise.onSettled(on: .global()) { continuation.resume(returning: $0) }
  }
}

/// Returns the value of a promise when it is fulfilled, or throws its error.
func value<Value>(of promise: Promise<Value>) async throws -> Value {
  try await outcome(of: promise).get()
}
