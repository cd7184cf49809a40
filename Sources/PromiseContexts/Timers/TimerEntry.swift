package import PromiseCore

/// One timer in a ``TimerHeap``.
package final class TimerEntry: ScheduledTimer, @unchecked Sendable {
  // `@unchecked`: what is not constant is touched by the heap that has the entry, and by the keeper that has the heap, under that
  // keeper's lock only.
  package let deadline: UInt64

  /// Where in the source it was asked for.
  package let site: CreationSite

  /// Tells those apart that are due at the same time: the one with the lower number is first.
  package internal(set) var ticket: UInt64 = 0

  /// Where it stands in its heap; `nil`: in none, as it has run or was cancelled.
  var heapIndex: Int?

  /// Until it has run or was cancelled.
  private var action: (@Sendable () -> Void)?

  /// Kept alive while the timer waits; as it leaves its heap there is no cycle then.
  private let keeper: any TimerKeeper

  package init(
    deadline: UInt64, from site: CreationSite, in keeper: any TimerKeeper, action: @escaping @Sendable () -> Void
  ) {
    self.deadline = deadline
    self.site = site
    self.keeper = keeper
    self.action = action
  }

  @discardableResult
  package func cancel() -> Bool { keeper.cancel(self) }

  /// Under the keeper's lock, by whoever took the entry out of its heap: what to run, or to let go, outside.
  package func takeAction() -> (@Sendable () -> Void)? {
    defer { action = nil }
    return action
  }

  func isBefore(_ other: TimerEntry) -> Bool {
    deadline == other.deadline ? ticket < other.ticket : deadline < other.deadline
  }
}

/// Whose heap has timers, under whose lock.
package protocol TimerKeeper: AnyObject, Sendable {
  /// Takes the timer out, and lets its action go before it returns. `false`: it has run, or was cancelled before.
  func cancel(_ entry: TimerEntry) -> Bool
}
