import PromiseCore
import TestSupport
import Testing

@Suite("Many short-lived links", .leavingNothing)
struct ShortLivedLinkTests {
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
