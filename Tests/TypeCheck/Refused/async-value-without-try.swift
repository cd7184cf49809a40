// Awaiting a value needs `try`, because the promise may be rejected.
import PromiseContexts

nonisolated func sum(_ promise: Promise<Int>) async -> Int {
  // expect: property access can throw
  await promise.value
}
