/// Waits until another thread makes the condition true, and returns whether it does. That thread may have no core for a
/// while, so only a hang ends the wait without it.
public func eventually(isolation: isolated (any Actor)? = #isolation, _ isTrue: () -> Bool) async -> Bool {
  let limit = HangLimit()
  while !limit.isReached {
    if isTrue() { return true }
    await Task.yield()
  }
  return isTrue()
}
