import Dispatch
import Foundation
import Synchronization

/// Runs the bodies at the same time, each on a thread of its own, started together by a spinning barrier; returns when all
/// have ended.
public func race(_ bodies: [@Sendable () -> Void]) {
  let start = StartingLine(count: bodies.count)
  let ended = DispatchGroup()
  for body in bodies {
    // A queue of its own gets a thread of its own; the threads of a global queue may be fewer than the bodies.
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
    // Where there are more threads than cores, who is still missing needs one.
    var patience = 2_000
    while missing.load(ordering: .acquiring) > 0 {
      patience -= 1
      if patience < 0 { sched_yield() }
    }
  }
}
