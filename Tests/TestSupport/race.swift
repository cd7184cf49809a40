import Dispatch
import Foundation
import Synchronization

/// Runs the bodies at the same time, each on its own thread. A spinning barrier starts them together. Returns when all
/// bodies have ended.
public func race(_ bodies: [@Sendable () -> Void]) {
  let start = StartingLine(count: bodies.count)
  let ended = DispatchGroup()
  for body in bodies {
    // A new queue gets its own thread. A global queue may have fewer threads than there are bodies.
    DispatchQueue(label: "race").async(group: ended) {
      start.arrive()
      body()
    }
  }
  ended.wait()
}

private final class StartingLine: Sendable {
  private let missing: Atomic<Int>
  init(count: Int) { missing = Atomic(count) }

  func arrive() {
    missing.subtract(1, ordering: .acquiringAndReleasing)
    // If there are more threads than cores, a thread that has not arrived yet needs a core.
    var patience = 2_000
    while missing.load(ordering: .acquiring) > 0 {
      patience -= 1
      if patience < 0 { sched_yield() }
    }
  }
}
