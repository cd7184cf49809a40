import TestSupport
import Testing

@Suite("Background tasks, with a stand-in for UIKit")
@MainActor
struct BackgroundTaskTests {
  private let application = UIApplication.shared

  @Test(
    "A background task lasts until the promise is settled, and ends once",
    arguments: ["fulfilled", "rejected", "cancelled"])
  func lasts(_ end: String) async throws {
    let deferred = Deferred<Int>()
    let promise = deferred.promise
    #expect(promise.protectedInBackground(named: end) === promise)
    #expect(application.counts(of: end) == [1, 0])
    switch end {
    case "fulfilled": deferred.fulfill(1)
    case "rejected": deferred.reject(TestError(1))
    default: promise.cancel()
    }
    // This job runs after the jobs of the settlement on the main actor.
    _ = try await Promise<Void>.run(on: .main) {}.value
    #expect(application.counts(of: end) == [1, 1])
    // The system may call the expiration handler late.
    application.expire(end)
    #expect(application.counts(of: end) == [1, 1])
    #expect(!application.hasEndedInvalid)
  }

  @Test("An expired background task cancels the root with the reason, and ends at once")
  func expired() async throws {
    let deferred = Deferred<Int>()
    let reasons = Log<String>()
    deferred.onCancel { reasons.append("\($0)") }
    let promise = deferred.promise.map { "\($0)" }
    promise.protectedInBackground(named: "expired")
    application.expire("expired")
    #expect(application.counts(of: "expired") == [1, 1])
    #expect(reasons.entries == ["the app's time in the background is over"])
    #expect(promise.isCancelled)
    #expect(deferred.promise.isCancelled)
    // This job runs after the jobs of the settlement on the main actor.
    _ = try await Promise<Void>.run(on: .main) {}.value
    #expect(application.counts(of: "expired") == [1, 1])
    #expect(!application.hasEndedInvalid)
  }

  @Test("An expired background task cancels the work of a promise that no client retains, but a link still needs")
  func releasedClient() {
    let deferred = Deferred<Int>(cancelsWithoutClients: true)
    var promise: Promise<Int>? = deferred.promise
    let link = promise?.map { $0 }
    promise?.protectedInBackground(named: "released")
    promise = nil
    #expect(link?.isPending == true)
    application.expire("released")
    #expect(link?.error is BackgroundTimeExpiredError)
  }

  @Test("A settled promise begins no background task")
  func settled() {
    Promise.fulfilled(1).protectedInBackground(named: "settled")
    #expect(application.counts(of: "settled") == [0, 0])
  }
}
