import Foundation
import TestSupport
import Testing

@Suite("Activities, with a stand-in for the system's") struct ActivityTests {
  private func counts(_ reason: String) -> [Int] {
    [Activity.begun, Activity.ended].map { $0.entries.count { $0.reason == reason } }
  }

  @Test(
    "An activity lasts until the promise is settled, whatever its outcome",
    arguments: ["fulfilled", "rejected", "cancelled", "broken"])
  func lasts(_ end: String) async throws {
    var deferred: Deferred<Int>? = Deferred<Int>()
    let promise = try #require(deferred?.promise)
    #expect(promise.holdingActivity([.background], reason: end) === promise)
    #expect(counts(end) == [1, 0])
    switch end {
    case "fulfilled": deferred?.fulfill(1)
    case "rejected": deferred?.reject(TestError(1))
    case "cancelled": promise.cancel()
    default: deferred = nil
    }
    #expect(!promise.isPending)
    #expect(counts(end) == [1, 1])
    let begun = try #require(Activity.begun.entries.first { $0.reason == end })
    #expect(Activity.ended.entries.contains { $0 === begun })
    #expect(begun.options == .background)
    _ = deferred
  }

  @Test("A settled promise begins no activity, and an activity of a pending one is no consumer", .rule("4.0"))
  func noConsumer() {
    Promise.fulfilled(1).holdingActivity(reason: "settled")
    #expect(counts("settled") == [0, 0])
    let deferred = Deferred<Int>()
    deferred.promise.holdingActivity(reason: "consumer")
    #expect(deferred.promise.debugDescription.hasPrefix("Promise<Int>, pending, AppleBranchTests"))
    deferred.fulfill(1)
  }
}
