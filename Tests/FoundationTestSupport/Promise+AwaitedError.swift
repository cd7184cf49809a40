package import PromiseCore

extension Promise {
  /// Waits until the promise is settled, and returns its error, or `nil` if it is fulfilled.
  package var awaitedError: (any Error)? {
    get async {
      do {
        _ = try await value
        return nil
      } catch {
        return error
      }
    }
  }
}
