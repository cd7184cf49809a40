import PromiseCore
import TestSupport
import Testing

@Suite("Progress: shares of what is adopted or followed", .serialized)
struct AdoptedShareTests {
  private let context = ManualContext()
  private let first = Deferred<Int>()
  private let second = Deferred<Int>()

  @Test("rule 5.4, row J4: rescue shows its source, then gives the rest to what it adopts", arguments: [false, true])
  func rescue(isObserved: Bool) {
    let end = first.promise.rescue(on: context) { [second] _ in second.promise }
    let watched = Watched(end, isObserved: isObserved)
    first.report(progress: 0.5)
    #expect(watched.progress(isObserved: isObserved) == 0.5)
    first.reject(TestError(1))
    context.runUntilIdle()
    #expect(watched.progress(isObserved: isObserved) == 0.5)
    second.report(progress: 0.5)
    #expect(watched.progress(isObserved: isObserved) == 0.75)
    second.fulfill(1)
    #expect(watched.progress(isObserved: isObserved) == 1)
  }

  @Test("rule 5.4, row J4: rescue further down takes the rest of a chain", arguments: [false, true])
  func rescueInChain(isObserved: Bool) {
    let end = first.promise.map(on: context, weight: 1) { _ -> Int in throw TestError(1) }
      .rescue(on: context) { [second] _ in second.promise }
    let watched = Watched(end.map(on: context, weight: 1) { $0 }, isObserved: isObserved)
    first.fulfill(1)
    context.runUntilIdle()
    #expect(end.progress == 0.5)
    #expect(watched.progress(isObserved: isObserved).isAbout(1 / 3))
    second.report(progress: 0.5)
    #expect(end.progress == 0.75)
    #expect(watched.progress(isObserved: isObserved) == 0.5)
  }

  @Test("rule 5.4: two handlers: the share of the link is that of either", arguments: [false, true])
  func twoHandlers(isObserved: Bool) {
    let end = first.promise.then(
      on: context, weight: 3, fulfilled: { .fulfilled($0) }, rejected: { [second] _ in second.promise })
    let watched = Watched(end, isObserved: isObserved)
    first.report(progress: 0.5)
    #expect(watched.progress(isObserved: isObserved) == 0.125)
    first.reject(TestError(1))
    context.runUntilIdle()
    second.report(progress: 0.5)
    #expect(watched.progress(isObserved: isObserved) == 0.5)
  }

  @Test(
    "rules 5.4 3.1, row J5: following shows what is followed, and what the owner reports", arguments: [false, true])
  func follow(isObserved: Bool) {
    let owner = Deferred<Int>()
    let watched = Watched(owner.promise.map(on: context, weight: 1) { $0 }, isObserved: isObserved)
    owner.report(progress: 0.25)
    owner.follow(first.promise.map(on: context, weight: 1) { $0 })
    #expect(watched.progress(isObserved: isObserved) == 0.125)
    first.report(progress: 0.75)
    #expect(owner.promise.progress == 0.375)
    #expect(watched.progress(isObserved: isObserved) == 0.1875)
    #expect(!owner.report(progress: 0.3))
    #expect(owner.report(progress: 0.5))
    #expect(watched.progress(isObserved: isObserved) == 0.25)
    first.fulfill(1)
    context.runUntilIdle()
    #expect(owner.promise.progress == 1)
    // A job that waits keeps its context, which keeps the job.
    watched.context.runUntilIdle()
  }

  @Test("rules 5.4 3.4: following several, the newest counts, and it never falls", arguments: [false, true])
  func followSeveral(isObserved: Bool) {
    let owner = Deferred<Int>()
    let watched = Watched(owner.promise, isObserved: isObserved)
    owner.follow(first.promise)
    first.report(progress: 0.5)
    #expect(watched.progress(isObserved: isObserved) == 0.5)
    owner.follow(second.promise)
    second.report(progress: 0.25)
    #expect(watched.progress(isObserved: isObserved) == 0.5)
    second.report(progress: 0.75)
    #expect(watched.progress(isObserved: isObserved) == 0.75)
    first.reject(TestError(1))
    #expect(owner.promise.progress == 0.75)
  }

  @Test("rules 5.4 2.6: progress comes through an adopted chain", arguments: [false, true])
  func adoptedChain(isObserved: Bool) {
    let inner = second.promise.map(on: context, weight: 1) { $0 }
    let end = first.promise.then(on: context) { _ in inner }.map(on: context, weight: 2) { $0 }
    let watched = Watched(end, isObserved: isObserved)
    first.fulfill(1)
    context.runUntilIdle()
    #expect(watched.progress(isObserved: isObserved) == 0.25)
    second.report(progress: 0.5)
    #expect(watched.progress(isObserved: isObserved) == 0.3125)
    second.fulfill(1)
    #expect(watched.progress(isObserved: isObserved) == 0.375)
    context.runUntilIdle()
    #expect(end.progress == 1)
    // As above.
    watched.context.runUntilIdle()
  }
}
