import PromiseCore

extension AnyPromise {
  /// Throws `CancellationError` if this promise, the result of a loop, has ended. Called by each step of a loop before
  /// it calls the client's closure (rule 4.11).
  ///
  /// A step attaches the next step to the promise that the closure has returned, and then returns, which makes the next
  /// step known to the result. Meanwhile, other threads may run the next step, and those after it. A cancellation does
  /// not reach these steps, so they must look. The error that they throw reaches only promises that the ended result
  /// gives up.
  ///
  /// Each step retains the result. This makes no cycle, because a result does not retain the step that it waits for. A
  /// result that a step retains is not collapsed (rule 3.3), which costs one promise for a loop, and none for a step.
  func checkIsLooping() throws { if !isPending { throw CancellationError() } }
}
