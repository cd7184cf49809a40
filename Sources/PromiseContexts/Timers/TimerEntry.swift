/// One timer of a ``TimerQueue``.
package final class TimerEntry: ScheduledTimer, @unchecked Sendable {
  // `@unchecked`: what is not constant is touched by the heap that has the entry, and by the queue that has the heap, under that
  // queue's lock only.
  package let deadline: UInt64

  /// Tells those apart that are due at the same time.
  var ticket: UInt64 = 0

  /// Where it stands in its heap; `nil`: in none, as it has run or was cancelled.
  var place: Int?

  /// Until it has run or was cancelled.
  var action: (@Sendable () -> Void)?

  /// Keeps the queue alive while the timer waits; as it leaves its heap there is no cycle then.
  private let queue: TimerQueue

  package init(deadline: UInt64, in queue: TimerQueue, action: @escaping @Sendable () -> Void) {
    self.deadline = deadline
    self.queue = queue
    self.action = action
  }

  @discardableResult
  package func cancel() -> Bool { queue.cancel(self) }

  func isBefore(_ other: TimerEntry) -> Bool {
    deadline == other.deadline ? ticket < other.ticket : deadline < other.deadline
  }
}
