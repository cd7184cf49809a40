import TestSupport
import Testing

@Suite("Progress: shares of adopted and followed promises", .serialized, .bounded, .rule("5.4"))
struct AdoptedShareTests {
  private let context = ManualContext()
  private let first = Deferred<Int>()
  private let second = Deferred<Int>()

  /// Links whose handler returns a promise that replaces an error.
  enum Rescue: CaseIterable, Sendable {
    case all, failures, type

    func link(_ promise: Promise<Int>, on context: ManualContext, to other: Promise<Int>) -> Promise<Int> {
      switch self {
      case .all: promise.rescue(on: context) { _ in other }
      case .failures: promise.rescueFailure(on: context) { _ in other }
      case .type: promise.rescue(from: TestError.self, on: context) { _ in other }
      }
    }
  }

  @Test(
    "Each kind of rescue shows the progress of its source, and gives the rest to the adopted promise",
    arguments: Rescue.allCases, [false, true])
  func rescue(_ kind: Rescue, isObserved: Bool) {
    let watched = Watched(kind.link(first.promise, on: context, to: second.promise), isObserved: isObserved)
    first.report(progress: 0.5)
    #expect(watched.progress == 0.5)
    first.reject(TestError(1))
    context.runUntilIdle()
    #expect(watched.progress == 0.5)
    second.report(progress: 0.5)
    #expect(watched.progress == 0.75)
    second.fulfill(1)
    #expect(watched.progress == 1)
  }

  @Test("A promise counts all of an adopted promise that is settled, even before it gets the outcome")
  func outcomePassedLater() {
    let adopter = Locked<Promise<Int>?>(nil)
    let seen = Log<Double?>()
    // This handler was attached first, so its job is scheduled before the outcome is passed on.
    second.promise.tap(on: CallingContext { seen.append(adopter.withLock(\.self)?.progress) }) { _ in }
    adopter.withLock { $0 = Promise.fulfilled(1).then(on: context) { [second] _ in second.promise } }
    context.runUntilIdle()
    second.fulfill(2)
    #expect(seen.entries == [1])
  }

  @Test("A promise that waits for a cleanup keeps the progress of its rejected source", arguments: [false, true])
  func cleanup(isObserved: Bool) {
    let end = first.promise.alwaysThen(on: context) { _ in Promise<Void>.fulfilled(()) }
    let watched = Watched(end.alwaysThen(on: context) { _ in Promise<Void>.fulfilled(()) }, isObserved: isObserved)
    first.report(progress: 0.4)
    first.reject(TestError(1))
    context.runUntilIdle()
    #expect(end.isRejected)
    #expect(end.progress == 0.4)
    #expect(watched.progress == 0.4)
  }

  @Test(
    "What is below an expired time limit sees the progress of the promise that it adopts, and not that of the source",
    arguments: [false, true])
  func timeLimit(isObserved: Bool) {
    let limited = first.promise.passed(by: .timeout, at: CreationSite(fileID: #fileID, line: #line))
    let end = limited.rescue(on: context) { [second] _ in second.promise }
    let watched = Watched(end.map(on: context) { $0 }, isObserved: isObserved)
    first.report(progress: 0.25)
    #expect(watched.progress == 0.25)
    limited.timeOut(because: PromiseError.timedOut(createdAt: limited.createdAt), givingUp: false)
    context.runUntilIdle()
    first.report(progress: 0.5)
    #expect(watched.progress == 0.25)
    // The limited promise keeps only the progress that something has asked for (rule 5.2). The rest of the chain is the
    // share of the promise that `rescue` adopts.
    second.report(progress: 0.75)
    #expect(watched.progress == (isObserved ? 0.25 + 0.75 * 0.75 : 0.75))
  }

  @Test("rescue further down a chain gives the rest of it to the promise that it adopts", arguments: [false, true])
  func rescueInChain(isObserved: Bool) {
    let end = first.promise.map(on: context, weight: 1) { _ -> Int in throw TestError(1) }
      .rescue(on: context) { [second] _ in second.promise }
    let watched = Watched(end.map(on: context, weight: 1) { $0 }, isObserved: isObserved)
    first.fulfill(1)
    context.runUntilIdle()
    #expect(end.progress == 0.5)
    #expect(watched.progress.isAbout(1 / 3))
    second.report(progress: 0.5)
    #expect(end.progress == 0.75)
    #expect(watched.progress == 0.5)
  }

  @Test("then with two handlers gives its share to the promise of the rejection handler", arguments: [false, true])
  func twoHandlers(isObserved: Bool) {
    let end = first.promise.then(
      on: context, weight: 3, fulfilled: { .fulfilled($0) }, rejected: { [second] _ in second.promise })
    let watched = Watched(end, isObserved: isObserved)
    first.report(progress: 0.5)
    #expect(watched.progress == 0.125)
    first.reject(TestError(1))
    context.runUntilIdle()
    second.report(progress: 0.5)
    #expect(watched.progress == 0.5)
  }

  @Test("A promise shows followed progress and the reports of its owner", .rule("3.1"), arguments: [false, true])
  func follow(isObserved: Bool) {
    let owner = Deferred<Int>()
    let watched = Watched(owner.promise.map(on: context, weight: 1) { $0 }, isObserved: isObserved)
    owner.report(progress: 0.25)
    owner.follow(first.promise.map(on: context, weight: 1) { $0 })
    #expect(watched.progress == 0.125)
    first.report(progress: 0.75)
    #expect(owner.promise.progress == 0.375)
    #expect(watched.progress == 0.1875)
    #expect(!owner.report(progress: 0.3))
    #expect(owner.report(progress: 0.5))
    #expect(watched.progress == 0.25)
    first.fulfill(1)
    context.runUntilIdle()
    #expect(owner.promise.progress == 1)
    // Runs the queued job, because the job and its context retain each other.
    _ = watched.progress
  }

  @Test("Progress is that of the newest followed promise, and never falls", .rule("3.4"), arguments: [false, true])
  func followSeveral(isObserved: Bool) {
    let owner = Deferred<Int>()
    let watched = Watched(owner.promise, isObserved: isObserved)
    owner.follow(first.promise)
    first.report(progress: 0.5)
    #expect(watched.progress == 0.5)
    owner.follow(second.promise)
    second.report(progress: 0.25)
    #expect(watched.progress == 0.5)
    second.report(progress: 0.75)
    #expect(watched.progress == 0.75)
    first.reject(TestError(1))
    #expect(owner.promise.progress == 0.75)
  }

  @Test("Progress passes through an adopted chain", .rule("2.6"), arguments: [false, true])
  func adoptedChain(isObserved: Bool) {
    let inner = second.promise.map(on: context, weight: 1) { $0 }
    let end = first.promise.then(on: context) { _ in inner }.map(on: context, weight: 2) { $0 }
    let watched = Watched(end, isObserved: isObserved)
    first.fulfill(1)
    context.runUntilIdle()
    #expect(watched.progress == 0.25)
    second.report(progress: 0.5)
    #expect(watched.progress == 0.3125)
    second.fulfill(1)
    #expect(watched.progress == 0.375)
    context.runUntilIdle()
    #expect(end.progress == 1)
    // Runs the queued job, because the job and its context retain each other.
    _ = watched.progress
  }

  @Test("A ring that an observed promise closes is still found", .rule("3.2"))
  func ring() {
    let context = ManualContext()
    let shown = ManualContext()
    let log = Log<Double>()
    let owner = Deferred<Int>()
    let end = owner.promise.map(on: context, weight: 1) { $0 }
    end.onProgress(on: shown) { log.append($0) }
    owner.report(progress: 0.5)
    owner.follow(end)
    #expect(end.isRejected)
    #expect(end.progress == 0.25)
    shown.runUntilIdle()
    #expect(log.entries == [0.25])
  }

  @Test("A later observer sees the progress of a promise that was followed before", .rule("5.4"))
  func observedLater() {
    let owner = Deferred<Int>()
    owner.follow(first.promise)
    let watched = Watched(owner.promise, isObserved: true)
    first.report(progress: 0.5)
    #expect(watched.progress == 0.5)
  }

  @Test("A promise that followed a chain of links shows what the chain has done when it is rejected", .rule("5.2"))
  func followedChain() {
    let owner = Deferred<Int>()
    owner.follow(first.promise.map(on: context, weight: 1) { _ in throw TestError(1) })
    first.fulfill(1)
    context.runUntilIdle()
    #expect(owner.promise.isRejected)
    #expect(owner.promise.progress == 0.5)
  }
}
