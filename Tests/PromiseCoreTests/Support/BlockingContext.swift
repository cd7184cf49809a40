import TestSupport

/// A context that drops every job, but blocks the thread that schedules it until a gate is open.
final class BlockingContext: ExecutionContext {
  let isReached = Gate()
  let mayContinue = Gate()

  func schedule(_ job: consuming Job) {
    isReached.open()
    mayContinue.wait()
    _ = consume job
  }
}
