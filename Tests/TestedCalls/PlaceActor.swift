import Dispatch

/// An actor that runs on a queue of its own, so that a test can detect that code runs on it.
package actor PlaceActor {
  private final class Executor: SerialExecutor {
    private let queue = Place.actor.makeQueue()

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  private let executor = Executor()
  private let probe: Probe

  package init(_ probe: Probe) { self.probe = probe }

  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  /// Notes that a handler ran. Only code that is isolated to this actor may call it without `await`.
  package func note<Result>(_ argument: some Any, _ result: Result = ()) -> Result { probe.note(argument, result) }
}
