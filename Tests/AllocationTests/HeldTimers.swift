import PromiseContexts

/// Timers that fire when the test calls `ring()`, and that allocate nothing.
final class HeldTimers: TimerContext, ScheduledTimer, @unchecked Sendable {
  // `@unchecked`: only one thread uses it.
  private var actions: [Action] = []

  /// A wrapper around a closure. An array of bare closures would allocate an adapter for each of them.
  private struct Action { let run: @Sendable () -> Void }

  init() { actions.reserveCapacity(64) }

  let elapsed = Duration.zero

  func schedule(
    after delay: Duration, from site: CreationSite, _ action: @escaping @Sendable () -> Void
  ) -> any ScheduledTimer {
    actions.append(Action(run: action))
    return self
  }

  func cancel() -> Bool { true }

  /// Fires all timers. Returns `false` if there was none.
  @discardableResult
  func ring() -> Bool {
    let wasEmpty = actions.isEmpty
    while let action = actions.popLast() { action.run() }
    return !wasEmpty
  }
}
