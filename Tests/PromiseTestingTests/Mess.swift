import TestSupport

/// The kinds of leftovers of a test.
enum Kind: CaseIterable, Sendable {
  case pending, unhandled, second, timers, waiting, objects

  var check: TestWorld.Checks {
    switch self {
    case .pending: .pendingPromises
    case .unhandled: .unhandledRejections
    case .second: .secondSettlements
    case .timers: .timers
    case .waiting: .waiting
    case .objects: .objects
    }
  }

  static func found(_ report: WorldReport) -> Set<Kind> {
    let all: [(Kind, Bool)] = [
      (.pending, report.pending.isEmpty), (.unhandled, report.unhandledRejections.isEmpty),
      (.second, report.secondSettlements.isEmpty), (.timers, report.timers.isEmpty),
      (.waiting, report.waiting.isEmpty), (.objects, report.objects.isEmpty),
    ]
    return Set(all.filter { !$0.1 }.map(\.0))
  }
}

/// A world with one leftover of each kind.
final class Mess: Sendable {
  let world = TestWorld()
  private let pending: Deferred<Int>
  private let settled: Deferred<Int>
  private let tracked: Tracked

  init() {
    (pending, settled) = world.run { (Deferred<Int>(), Deferred<Int>()) }
    settled.fulfill(1)
    settled.fulfill(2)
    world.run { _ = Promise<Int>.rejected(TestError(1)) }
    world.clock.schedule(after: .seconds(1)) {}
    Promise.fulfilled(1).onFulfilled(on: world.serial("s")) { _ in }
    tracked = world.track(Tracked(Tracked.Census()))
  }
}
