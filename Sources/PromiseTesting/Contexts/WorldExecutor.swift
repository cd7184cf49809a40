/// Where Tasks of a ``TestWorld`` run: those that the library makes in it, and those that are told to.
///
/// What is between two suspensions of a Task is one step of the world, beside which others may come in any order.
final class WorldExecutor: TaskExecutor {
  private let agenda: Agenda
  private let lane: Plan.LaneID

  init(on agenda: Agenda) {
    self.agenda = agenda
    lane = agenda.addLane("tasks", isSerial: false)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    agenda.add([.task(job, on: self)], to: lane)
  }
}
