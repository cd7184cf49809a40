import PromiseCore
import TestSupport
import Testing

@Suite("Many short-lived links", .leavingNothing)
struct ShortLivedLinkTests {
  @Test("100,000 short-lived links and observers beside a held link leave no trace", .rule("6.1"), .slow)
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

  /// The ways in which a promise stops waiting for another.
  enum Way: CaseIterable, Sendable { case ownerSettles, otherSettles, adopterSettles }

  @Test(
    "Followers that stop waiting for a pending promise leave at most a small constant behind", .rule("4.9", "6.1"),
    .slow,
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
