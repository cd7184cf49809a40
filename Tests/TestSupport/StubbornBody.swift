import PromiseCore

/// The body of a Task that does not end when the Task is cancelled. It ends when the test says so.
public struct StubbornBody: Sendable {
  private let mayEnd = Deferred<Void>()

  public init() {}

  /// Suspends until ``end()`` is called, even in a cancelled Task.
  public func callAsFunction() async -> Int {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      mayEnd.promise.onSettled(on: .atOnce) { _ in continuation.resume() }
    }
    return 1
  }

  public func end() { if mayEnd.promise.isPending { mayEnd.fulfill() } }
}
