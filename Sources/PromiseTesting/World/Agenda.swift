import PromiseContexts
import PromiseCore

/// The plan of a world, for all threads. Nothing is run under its lock, and nothing of the user's let go (rule 6.5).
///
/// Of a job that waits here nobody else has a reference; so it may be described under the lock.
final class Agenda: TimerKeeper {
  private let plan = Locked(Plan())

  func addLane(_ name: String, isSerial: Bool) -> Plan.LaneID { withPlan { $0.addLane(name, isSerial: isSerial) } }

  /// Reads the plan, or changes it.
  func withPlan<Result>(_ body: (inout Plan) -> Result) -> Result { plan.withLock(body) }

  /// Steps that come to a context together. What comes when the world has gone is not run there: see ``Step/leave()``.
  func add(_ steps: [Step], to lane: Plan.LaneID) {
    let tooLate = withPlan { plan in steps.filter { !plan.add($0, to: lane) } }
    for step in tooLate { step.leave() }
  }

  func addTimer(
    after delay: Duration, from site: CreationSite, _ action: @escaping @Sendable () -> Void
  ) -> any ScheduledTimer {
    let (timer, tooLate) = withPlan { plan in
      let timer = TimerEntry(deadline: delay.deadline(from: plan.time), from: site, in: self, action: action)
      if plan.isClosed { return (timer, timer.takeAction()) }
      plan.add(timer)
      return (timer, nil)
    }
    withExtendedLifetime(tooLate) {}
    return timer
  }

  func cancel(_ timer: TimerEntry) -> Bool {
    let (wasWaiting, action) = withPlan { ($0.remove(timer), timer.takeAction()) }
    withExtendedLifetime(action) {}
    return wasWaiting
  }

  /// The timers that wait, the next one first.
  var armedTimers: [TimerEntry] {
    withPlan { $0.timers.entries }.sorted { ($0.deadline, $0.ticket) < ($1.deadline, $1.ticket) }
  }

  /// Lets everything go, unrun: promises that waited for it are rejected. Tasks, which may not be let go, are left to
  /// the system.
  func close() {
    let (steps, actions) = withPlan { $0.close() }
    for step in steps { step.leave() }
    withExtendedLifetime(actions) {}
  }
}
