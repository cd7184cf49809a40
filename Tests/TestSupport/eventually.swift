/// Waits until another thread makes the condition true, and returns whether it does. That thread may have no core for a
/// while, so the wait lasts for seconds. It is counted in yields of this task and not by a clock.
public func eventually(isolation: isolated (any Actor)? = #isolation, _ isTrue: () -> Bool) async -> Bool {
  for _ in 0..<10_000_000 {
    if isTrue() { return true }
    await Task.yield()
  }
  return isTrue()
}
