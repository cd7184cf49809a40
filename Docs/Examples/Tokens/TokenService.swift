import PromiseCombinators

/// A service of the older kind: it calls back, from some thread, once, if all goes well.
///
/// What it is asked here it does not answer by itself: the example says when.
actor TokenService {
  private(set) var requests = 0
  private var pending: (@Sendable (String?, (any Error)?) -> Void)?
  private let asked = Deferred<Void>()
  private let cancelled = Deferred<Bool>()

  /// The adapter has three lines. The completion handler is the owner's own function, and the owner is told when no client
  /// waits any more. If the service forgot its handler, the promise would be rejected, and no Task would hang.
  nonisolated func requestToken() -> Promise<String> {
    let deferred = Deferred<String>()
    Task { await fetch(completion: deferred.resolve) }
    deferred.onCancel { _ in Task { await self.cancel() } }
    return deferred.promise
  }

  func answer(with token: String) {
    pending?(token, nil)
    pending = nil
  }

  func waitForRequest() async throws { try await asked.promise.value }

  func waitForCancellation() async throws -> Bool { try await cancelled.promise.value }

  private func fetch(completion: @escaping @Sendable (String?, (any Error)?) -> Void) {
    requests += 1
    pending = completion
    asked.fulfill()
  }

  private func cancel() {
    pending = nil
    cancelled.fulfill(true)
  }
}
