import Foundation
import Synchronization
import TestSupport

/// Numbers that two threads draw. The order is relaxed, so that the tickets order no other access and hide no race.
final class Tickets: Sendable {
  private let last = Atomic<Int>(0)
  func draw() -> Int { last.add(1, ordering: .relaxed).newValue }
}

/// The part of one side in a round. Its thread writes it, and the test reads it after that thread has ended.
final class SideOfRound: Sendable {
  private let storage = Locked((start: 0, end: 0, seen: SeenSettlement.nothing))
  var start: Int { storage.withLock(\.start) }
  var end: Int { storage.withLock(\.end) }
  var seen: SeenSettlement { storage.withLock(\.seen) }

  private let hasBegun = Atomic<Bool>(false)

  /// Waits until this side has begun, and a little longer. The order is relaxed, as for the tickets.
  func waitForStart(plus count: Int) {
    var patience = 2_000
    while !hasBegun.load(ordering: .relaxed) {
      patience -= 1
      if patience < 0 { sched_yield() }
    }
    spin(count)
  }

  func run(_ tickets: Tickets, _ operation: () -> SeenSettlement) {
    let start = tickets.draw()
    hasBegun.store(true, ordering: .relaxed)
    let seen = operation()
    let end = tickets.draw()
    storage.withLock { $0 = (start, end, seen) }
  }
}
