/// What one settling call still has to do, so that it does it in a loop: outcomes that passed through a link and wait to be
/// published, first in, first out, and cancellations that were left here by other threads (rule 4.3).
struct Settlement {
  /// Links that have claimed their targets.
  var passed = LinkList()
  /// Promises below which everything pending is to be cancelled.
  var requests: [(promise: AnyPromise, reason: any Error)] = []

  /// Publishes what has passed, and what passes then, until nothing is left; then carries out the cancellations.
  mutating func complete() {
    while let link = passed.popFirst() { link.publishTarget(during: &self) }
    for (promise, reason) in requests { Cancellation(of: promise.activeTargets(), reason: reason).run() }
  }
}
