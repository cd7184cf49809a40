import TestSupport

/// The kinds of leftovers of a test.
enum Leftover: CaseIterable, Sendable {
  case pending, unhandled, second, timers, waiting, objects
  #if DEBUG
    case unstopped
  #endif

  var check: TestWorld.Checks {
    switch self {
    case .pending: .pendingPromises
    case .unhandled: .unhandledRejections
    case .second: .secondSettlements
    case .timers: .timers
    case .waiting: .waiting
    case .objects: .objects
    #if DEBUG
      case .unstopped: .unstoppedWork
    #endif
    }
  }

  static func found(_ report: WorldReport) -> Set<Leftover> {
    var all: [(Leftover, Bool)] = [
      (.pending, report.pending.isEmpty), (.unhandled, report.unhandledRejections.isEmpty),
      (.second, report.secondSettlements.isEmpty), (.timers, report.timers.isEmpty),
      (.waiting, report.waiting.isEmpty), (.objects, report.objects.isEmpty),
    ]
    #if DEBUG
      all.append((.unstopped, report.unstoppedWork.isEmpty))
    #endif
    return Set(all.filter { !$0.1 }.map(\.0))
  }
}

/// A world with one leftover of each kind.
final class WorldWithLeftovers: Sendable {
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
    pending.onCancel { _ in }
    pending.promise.asVoid().cancel()
    tracked = world.track(Tracked(Tracked.Census()))
  }
}
