package import PromiseCore

extension Promise {
  /// The error with which the promise is rejected, or `nil` if it is fulfilled.
  package var failure: (any Error)? {
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
