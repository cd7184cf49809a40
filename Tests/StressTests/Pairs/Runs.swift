import Synchronization
import TestSupport

/// How often a handler ran. What the handler captures is made in its thread, so that nothing else holds it.
final class Runs: Sendable {
  private let count = Atomic<Int>(0)
  private let census: Tracked.Census
  init(_ census: Tracked.Census) { self.census = census }

  var number: Int { count.load(ordering: .relaxed) }

  /// Counts when it is called, and is itself counted as long as it lives.
  var handler: @Sendable () -> Void {
    { [self, tracked = Tracked(census)] in
      withExtendedLifetime(tracked) { _ = count.add(1, ordering: .relaxed) }
    }
  }
}
