// A wait that blocks is not for async code: there is `value` (noasync).
import PromiseContexts
import PromiseTesting

nonisolated func wait(for promise: Promise<Int>) async throws -> Int {
  // expect: unavailable from asynchronous contexts
  try promise.waitForResult(within: .seconds(1))
}
