import PromiseContexts
import PromiseCore

/// The schedule of a ``TestWorld``, shared by all threads.
///
/// Invariant: no work runs and no object of a client is released under its lock (rule 6.5). A job that waits here has
/// no other reference, so it may be described under the lock.
final class Scheduler: TimerKeeper {
  /// Held by the thread that runs a step.
  let stepLock: StepLock

  /// Held, as well as ``stepLock``, by the thread that runs a step of the world's `main`.
  let mainLock: StepLock

  private let queue = Locked(ScheduleQueue())

  init(stepLock: StepLock) {
    self.stepLock = stepLock
    mainLock = stepLock.ofMain()
  }

  /// - Parameter isMain: whether no step of another world's `main` may run beside one of this context.
  func addContextQueue(_ name: String, isSerial: Bool, isMain: Bool = false) -> ScheduleQueue.ContextQueueID {
    withQueue { $0.addContextQueue(name, isSerial: isSerial, isMain: isMain) }
  }

  /// Reads or changes the schedule.
  func withQueue<Result>(_ body: (inout ScheduleQueue) -> Result) -> Result { queue.withLock(body) }

  /// The name of the step that runs in the calling thread, if there is one and it has a name.
  var runningStepName: StepName? { stepLock.tryWithLock { withQueue(\.runningStepName) } ?? nil }

  /// Adds work that comes to a context together. After the end of the world it is discarded by ``WorkItem/discard()``.
  func add(_ items: [WorkItem], to contextQueue: ScheduleQueue.ContextQueueID) {
    let refused = withQueue { queue in items.filter { !queue.add($0, to: contextQueue) } }
    for item in refused { item.discard() }
  }

  /// Puts back a step that could not run. After the end of the world it is discarded.
  func putBack(_ next: ScheduleQueue.NextStep) {
    if !withQueue({ $0.putBack(next) }) { next.work.discard() }
  }

  /// Adds an event, which comes at any moment within a duration. After the end of the world it is discarded.
  func addEvent(_ name: String, within duration: Duration, _ action: @escaping @Sendable () -> Void) {
    _ = withQueue { queue in
      queue.add(event: .action(name: name, action), until: duration.deadline(from: queue.time))
    }
  }

  /// - Parameter deadline: returns the time at which the timer is due, from the world's time. Another thread may move
  ///   the time, so both are of one moment.
  func addTimer(
    from site: CreationSite, _ action: @escaping @Sendable () -> Void, at deadline: (UInt64) -> UInt64
  ) -> any ScheduledTimer {
    let (timer, refused) = withQueue { queue in
      let timer = TimerEntry(deadline: deadline(queue.time), from: site, in: self, action: action)
      if queue.isClosed { return (timer, timer.takeAction()) }
      queue.add(timer)
      return (timer, nil)
    }
    withExtendedLifetime(refused) {}
    return timer
  }

  func cancel(_ timer: TimerEntry) -> Bool {
    let (wasWaiting, action) = withQueue { ($0.remove(timer), timer.takeAction()) }
    withExtendedLifetime(action) {}
    return wasWaiting
  }

  var elapsed: Duration { .nanoseconds(Int64(withQueue(\.time))) }

  /// The timers that wait, the next one first.
  var armedTimers: [TimerEntry] {
    withQueue { $0.timers.entries }.sorted { ($0.deadline, $0.ticket) < ($1.deadline, $1.ticket) }
  }

  /// Discards all work that has not run. Promises that wait for it are rejected. Tasks continue outside the world.
  func close() {
    let (items, actions) = withQueue { $0.close() }
    for item in items { item.discard() }
    withExtendedLifetime(actions) {}
  }
}
