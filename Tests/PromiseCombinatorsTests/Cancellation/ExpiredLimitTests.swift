import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

@Suite("The order in which an expired limit settles and gives up", .leavingNothing)
struct ExpiredLimitTests {
  private let world = TestWorld()
  private let work = StoppableWork()

  private func link(_ promise: Promise<Int>) -> Promise<Int> { promise.map(on: world.main) { $0 } }

  private func isTimedOut(_ error: (any Error)?) -> Bool {
    if case .timedOut? = error as? PromiseError { true } else { false }
  }

  @Test(
    "Hooks of the source of an expired limit find the limited promise settled", .rule("4.5", "4.6"),
    arguments: 0..<3)
  func settledFirst(length: Int) {
    let source = (0..<length).reduce(work.promise) { promise, _ in link(promise) }
    let limited = world.run { source.timeout(.seconds(1)) }
    let seen = Log<Bool>()
    work.deferred.onCancel(on: .atOnce) { [work] _ in seen.append(limited.isRejected && work.promise.isRejected) }
    world.advance(by: .seconds(1))
    #expect(work.isStopped && seen.entries == [true])
  }

  @Test(
    "A rejection of the source after its limit has expired is not reported", .rule("7.1"), arguments: [false, true])
  func lateRejection(_ observesClients: Bool) {
    let reports = Log<UnhandledRejection>()
    Diagnostics.scoped(unhandledRejection: reports.append) {
      let owner = Deferred<Int>(cancelWhenUnobserved: observesClients)
      let client = owner.promise
      let limited = world.run { client.timeout(.seconds(1), cancelsSource: false) }
      world.advance(by: .seconds(1))
      #expect(isTimedOut(limited.error))
      owner.reject(TestError(7))
      withExtendedLifetime(client) {}
    }
    #expect(reports.entries.isEmpty)
  }

  @Test("Hooks of an owner whose limit has expired find its promise settled", .rule("4.5"))
  func ownerSettledFirst() {
    let owner = Deferred<Int>()
    let seen = Log<Bool>()
    owner.onCancel(on: .atOnce) { [promise = owner.promise] _ in seen.append(promise.isRejected) }
    world.run { owner.timeout(after: .seconds(1)) }
    world.advance(by: .seconds(1))
    #expect(isTimedOut(owner.promise.ownError) && seen.entries == [true])
  }

  @Test("An owner whose limit has expired refuses to follow a promise and leaves it alone", .rule("3.1", "4.6"))
  func followedLate() {
    let owner = Deferred<Int>()
    world.run { owner.timeout(after: .seconds(1)) }
    world.advance(by: .seconds(1))
    #expect(isTimedOut(owner.promise.ownError))
    #expect(!owner.follow(work.promise) && work.goesOn)
    #expect(!owner.follow(link(work.promise)) && work.goesOn)
  }

  @Test(
    "all with cancelRemaining gives up the remaining inputs with the reason of a cancelled input", .rule("4.4", "4.6"))
  func reasonOfInput() {
    let failing = Deferred<Int>()
    let result = Promise.all([failing.promise, link(work.promise)], onFailure: .cancelRemaining)
    failing.promise.cancel(reason: TestError(7))
    #expect(result.isCancelled && work.isStopped && work.reasonNumbers == [7])
  }
}
