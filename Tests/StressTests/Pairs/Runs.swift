import Synchronization
import TestSupport

/// Counts the runs of a handler. The thread that attaches the handler makes its capture, so that only the handler
/// retains it.
final class Runs: Sendable {
  private let count = Atomic<Int>(0)
  private let census: Tracked.Census
  init(_ census: Tracked.Census) { self.census = census }

  var number: Int { count.load(ordering: .relaxed) }

  /// A handler that counts its calls. The census counts the handler while it is alive.
  var handler: @Sendable () -> Void {
    { [self, tracked = Tracked(census)] in
      withExtendedLifetime(tracked) { _ = count.add(1, ordering: .relaxed) }
    }
  }
}
