import PromiseCore

/// The body of a Task, which waits until the Task is cancelled.
struct EndlessBody: Sendable {
  let started = Deferred<Void>()
  /// Tells at the end whether the Task was cancelled.
  let ended = Deferred<Bool>()
  private let never = Deferred<Int>()

  var isWaiting: Bool { never.promise.isPending }

  func callAsFunction() async throws -> Int {
    started.fulfill()
    defer { ended.fulfill(Task.isCancelled) }
    return try await never.promise.value
  }
}
