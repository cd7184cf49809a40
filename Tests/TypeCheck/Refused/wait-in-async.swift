// Async code cannot use a blocking wait, which is `noasync`. It awaits `value` instead.
import PromiseContexts
import PromiseTesting

nonisolated func wait(for promise: Promise<Int>) async throws -> Int {
  // expect: unavailable from asynchronous contexts
  try promise.waitForValue(within: .seconds(1))
}
