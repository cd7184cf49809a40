// The value may be an error.
import PromiseContexts

nonisolated func sum(_ promise: Promise<Int>) async -> Int {
  // expect: property access can throw
  await promise.value
}
