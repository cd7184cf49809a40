import PromiseContexts
import PromiseCore

/// Timers that ring when they are told to, and allocate nothing.
final class HeldTimers: TimerContext, ScheduledTimer, @unchecked Sendable {
  // `@unchecked`: used by one thread.
  private var actions: [Action] = []

  /// A closure in an array of closures would need a block of its own, which adapts how it is called.
  private struct Action {
    let run: @Sendable () -> Void
  }

  init() { actions.reserveCapacity(64) }

  let elapsed = Duration.zero

  func schedule(
    after delay: Duration, from site: CreationSite, _ action: @escaping @Sendable () -> Void
  ) -> any ScheduledTimer {
    actions.append(Action(run: action))
    return self
  }

  func cancel() -> Bool { true }

  /// Rings all. `false`: there was none.
  @discardableResult
  func ring() -> Bool {
    let wasEmpty = actions.isEmpty
    while let action = actions.popLast() { action.run() }
    return !wasEmpty
  }
}
