import PromiseCombinators
import TestSupport
import Testing

/// Tests the rows about the direction of a cancellation in the guides of Docs/Migrating.
@Suite("The direction of a cancellation compared with other libraries") struct CancelDirectionTests {
  private let work = StoppableWork()

  @Test("As in RXPromise, cancel reaches derived promises and never the parent", .rule("4.2"))
  func down() {
    let promise = work.promise.map { $0 }
    let below = promise.map { $0 }
    promise.cancel()
    #expect(promise.isCancelled)
    #expect(below.isCancelled)
    #expect(!work.isStopped)
  }

  /// The ways in which a client gives up the work behind links. RXPromise has the first, PromiseKit 7 the second, and
  /// Combine the third.
  private static let ways: [@Sendable (Promise<Int>) -> Void] = [
    { promise in
      let deferred = Deferred<Int>()
      deferred.follow(promise)
      deferred.promise.cancel()
    },
    { promise in promise.map { $0 }.cancel(upstream: true) },
    { promise in promise.map { $0 }.bound(to: CancelBag()) },
  ]

  @Test(
    "Unlike in RXPromise and PromiseKit 7, work that another client wants continues", .rule("4.4", "4.6"),
    arguments: ways.indices, [false, true])
  func shared(_ way: Int, isShared: Bool) {
    let link = work.promise.map { $0 }
    let other = isShared ? link.map { $0 } : nil
    Self.ways[way](link)
    #expect(work.isStopped != isShared)
    #expect(other?.isPending != false)
  }

  @Test("Unlike in RXPromise, the adopter of a cancelled promise may recover", .rule("3.1"))
  func adopter() throws {
    try TestWorld.run(checking: .running) { world in
      let deferred = Deferred<Int>()
      deferred.follow(work.promise)
      let recovered = deferred.promise.recover { _ in 0 }
      work.promise.cancel()
      #expect(deferred.promise.isCancelled)
      #expect(world.settling(recovered).state.value == 0)
    }
  }

  @Test(
    "Unlike in OMPromises, rescue does not run if it was attached before the cancellation",
    .rule("2.5"), arguments: [false, true])
  func rescue(_ isLate: Bool) throws {
    try TestWorld.run(checking: .running) { world in
      let backups = Log<Int>()
      func attach() -> Promise<Int> { work.promise.rescue { _ in backups.append(0, returning: load(0)) } }
      let early = isLate ? nil : attach()
      work.promise.cancel()
      let promise = early ?? attach()
      world.runUntilIdle()
      #expect(backups.entries == (isLate ? [0] : []))
      #expect(promise.state.value == (isLate ? 0 : nil))
    }
  }

  @Test("Unlike in PromiseKit 7 and bluebird, catch and always run for a cancellation", .rule("2.5"))
  func handlers() throws {
    try TestWorld.run(checking: .running) { world in
      let log = Log<String>()
      let promise = work.promise.catch { _ in log.append("catch") }.always { _ in log.append("always") }.map { $0 }
      promise.cancel(upstream: true)
      world.runUntilIdle()
      #expect(work.isStopped)
      #expect(Set(log.entries) == ["catch", "always"])
    }
  }

  @Test("Unlike in google/promises, an expired timeout gives up its source", .rule("4.6"), arguments: [false, true])
  func timeout(_ isSoft: Bool) throws {
    try TestWorld.run(checking: .running) { world in
      let promise = work.promise
      let limited = isSoft ? promise.timeout(.seconds(1), cancelsSource: false) : promise.timeout(.seconds(1))
      world.advance(by: .seconds(1))
      #expect(name(of: limited.error) == "timedOut")
      #expect(work.isStopped != isSoft)
      work.deferred.fulfill(1)
    }
  }

  @Test("The losers of race continue unless cancelsLosers is true", .rule("4.8"), arguments: [false, true])
  func losers(_ cancelsLosers: Bool) {
    let promise = work.promise.map { $0 }
    let first = Promise.race([promise, .fulfilled(1)], cancelsLosers: cancelsLosers)
    #expect(first.state.value == 1)
    #expect(work.isStopped == cancelsLosers)
  }
}
