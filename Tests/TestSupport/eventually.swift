/// Returns whether the condition comes true, as what another thread is about to do makes it. That thread may have no core for a while: it
/// is given seconds, counted in turns of this task and not by a clock.
public func eventually(isolation: isolated (any Actor)? = #isolation, _ isTrue: () -> Bool) async -> Bool {
  for _ in 0..<10_000_000 {
    if isTrue() { return true }
    await Task.yield()
  }
  return isTrue()
}
