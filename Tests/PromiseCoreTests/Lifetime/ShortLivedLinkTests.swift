import PromiseCore
import TestSupport
import Testing

@Suite("Many short-lived links")
struct ShortLivedLinkTests {
  #if DEBUG
    static let many = 250_000
  #else
    static let many = 1_000_000
  #endif

  /// A trace of 16 bytes for each link would be seen in release builds, one of 64 in debug builds.
  static let bound = 16 << 20

  @Test("rule 6.1: a million short-lived links on one settled promise leave no trace", arguments: Settlement.allCases)
  func links(_ settlement: Settlement) {
    let census = Tracked.Census()
    let context = ManualContext()
    let deferred = Deferred<Int>()
    deferred.settle(settlement.result)
    let kinds = LinkKind.links
    let growth = leastGrowth {
      for index in 0..<Self.many {
        let payload = Tracked(census)
        _ = kinds[index % kinds.count].attach(to: deferred.promise, on: context, giving: 2) {
          withExtendedLifetime(payload) {}
        }
        context.runUntilIdle()
      }
    }
    #expect(growth < Self.bound)
    #expect(census.living == 0)
    #expect(census.peak <= 2)
  }

  @Test("rule 6.1: 100,000 short-lived links and observers, beside a link that is held, leave no trace")
  func besideHeld() {
    let census = Tracked.Census()
    let context = ManualContext()
    let source = Promise.fulfilled(1)
    let held = source.map(on: context) { $0 }
    for _ in 0..<100_000 {
      source.map(on: context) { [tracked = Tracked(census)] _ in _ = tracked }.onSettled(on: context) { _ in }
      context.runUntilIdle()
    }
    #expect(census.living == 0 && census.peak <= 2)
    withExtendedLifetime(held) {}
  }

  @Test("rule 6.1: a million short-lived followers of one settled promise leave no trace")
  func followers() {
    let census = Tracked.Census()
    let promise = Promise.fulfilled(Tracked(census))
    let growth = leastGrowth {
      for _ in 0..<Self.many { Deferred<Tracked>().follow(promise) }
    }
    #expect(growth < Self.bound)
    #expect(census.living == 1)
  }

  /// How a promise comes to wait for another no more.
  enum Way: CaseIterable, Sendable { case ownerSettles, otherSettles, adopterSettles }

  @Test(
    "rules 4.9 6.1: followers that stopped waiting for a pending promise leave at most a small constant",
    arguments: Way.allCases)
  func formerFollowers(_ way: Way) {
    let census = Tracked.Census()
    let pending = Deferred<Tracked>()
    for _ in 0..<10_000 {
      let follower = Deferred<Tracked>()
      switch way {
      case .ownerSettles:
        follower.follow(pending.promise)
        follower.fulfill(Tracked(census))
      case .otherSettles:
        follower.follow(pending.promise)
        follower.follow(.fulfilled(Tracked(census)))
      case .adopterSettles:
        let between = Deferred<Tracked>()
        between.follow(pending.promise)
        follower.follow(between.promise)
        between.fulfill(Tracked(census))
      }
    }
    #expect(census.living <= 16)
    #expect(pending.promise.isPending)
  }
}
