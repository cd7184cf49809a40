import PromiseFoundation

/// Says when it is let go: what holds it is then gone too.
final class Farewell: Sendable {
  private let deferred: Deferred<Void>

  /// - Parameter deferred: fulfilled at the end. Not held by this alone: it would be broken instead.
  init(_ deferred: Deferred<Void>) { self.deferred = deferred }

  deinit { deferred.fulfill() }
}
