package import PromiseCore

/// One timer in a ``TimerHeap``.
package final class TimerEntry: ScheduledTimer, @unchecked Sendable {
  // `@unchecked Sendable`, because the variables are used by the heap that has the entry, and by the keeper that has
  // the heap, under the lock of that keeper only.
  package let deadline: UInt64

  /// The place in the source that has requested the timer.
  package let site: CreationSite

  /// Orders entries that are due at the same time: the entry with the lower ticket is first.
  package internal(set) var ticket: UInt64 = 0

  /// The index of this entry in its heap, or `nil` if it is in no heap.
  var heapIndex: Int?

  /// `nil` after the action was taken, to be run or released.
  private var action: (@Sendable () -> Void)?

  /// The owner of the heap, retained while the timer waits. The cycle ends when the entry leaves the heap.
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

  /// Takes the action. Call under the lock of the keeper, after the entry was removed from its heap. The caller runs or
  /// releases the action outside the lock.
  package func takeAction() -> (@Sendable () -> Void)? {
    defer { action = nil }
    return action
  }

  /// Whether this entry is due before another one.
  func isBefore(_ other: TimerEntry) -> Bool {
    deadline == other.deadline ? ticket < other.ticket : deadline < other.deadline
  }
}

extension TimerEntry: AwaitedResource {
  package func name(for promise: AnyPromise) -> String { "a timer, set at \(site)" }

  package var maker: Operation { .timer }

  package func waitNode(for promise: AnyPromise) -> WaitNode {
    WaitNode(
      .timer, operation: "timer", createdAt: site, label: promise.label, age: promise.age,
      summary: "\(name(for: promise)), which \(state)")
  }

  private var state: String {
    let remaining = Duration.nanoseconds(Int64(clamping: deadline)) - keeper.elapsed
    return remaining > .zero ? "is due in \(remaining.inReports)" : "is due since \((.zero - remaining).inReports)"
  }

  package func causeSummary(for promise: AnyPromise) -> String {
    let label = promise.labelInReports.map { " of \($0)" } ?? ""
    return "a timer\(label), set at \(site), which \(state)"
  }
}

/// Owns a heap of timers, and the lock that protects it.
package protocol TimerKeeper: AnyObject, Sendable {
  /// Removes the timer, and releases its action before the call returns.
  ///
  /// - Returns: `false` if the action has started or was cancelled before.
  func cancel(_ entry: TimerEntry) -> Bool

  /// The time on the clock of the heap, to which the deadlines belong.
  var elapsed: Duration { get }
}
