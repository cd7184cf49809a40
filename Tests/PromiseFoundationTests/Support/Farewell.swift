import PromiseFoundation

/// Fulfils a deferred when it is deallocated, to show that the object that retains it is released.
final class Farewell: Sendable {
  private let deferred: Deferred<Void>

  /// - Parameter deferred: fulfilled when this object is deallocated.
  init(_ deferred: Deferred<Void>) { self.deferred = deferred }

  deinit { deferred.fulfill() }
}
