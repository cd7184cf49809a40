import PromiseCombinators

/// A service that calls a completion handler at most once, on any thread. It answers a request when the example calls
/// `answer(with:)`.
actor TokenService {
  private(set) var requests = 0
  private var pending: (@Sendable (String?, (any Error)?) -> Void)?
  private let asked = Deferred<Void>()
  private let cancelled = Deferred<Bool>()

  /// Returns a promise for a token. The completion handler is the `resolve` method of the deferred. The hook of
  /// `onCancel` runs when no client waits any more. If the service dropped the handler, the promise would be rejected,
  /// and no Task would hang.
  nonisolated func requestToken() -> Promise<String> {
    let deferred = Deferred<String>()
    let number = Task { await fetch(completion: deferred.resolve) }
    deferred.onCancel { _ in Task { await self.cancel(number.value) } }
    return deferred.promise
  }

  func answer(with token: String) {
    pending?(token, nil)
    pending = nil
  }

  func waitForRequest() async throws { try await asked.promise.value }

  func waitForCancellation() async throws -> Bool { try await cancelled.promise.value }

  /// Returns the number of the request.
  private func fetch(completion: @escaping @Sendable (String?, (any Error)?) -> Void) -> Int {
    requests += 1
    pending = completion
    asked.fulfill()
    return requests
  }

  private func cancel(_ number: Int) {
    // A late cancellation must not stop the next request.
    if number == requests { pending = nil }
    cancelled.fulfill(true)
  }
}
