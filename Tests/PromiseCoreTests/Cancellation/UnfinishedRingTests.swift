import TestSupport
import Testing

@Suite("Rings through promises that have not finished", .leavingNothing, .rule("3.2", "2.11"))
struct UnfinishedRingTests {
  private let context = ManualContext()
  private let source = Deferred<Int>(fileID: "M/F", line: 1)

  /// A promise that a closure uses which is made before it.
  private final class Late<Value: Sendable>: @unchecked Sendable {
    var promise: Promise<Value>?

    func callAsFunction() -> Promise<Value> { promise ?? .rejected(TestError(99)) }
  }

  /// Runs a cleanup for a cancelled promise. Expects that the promise finishes, and that a ring is reported.
  ///
  /// - Parameters:
  ///   - line: the line of the promise that is rejected.
  ///   - cleanup: returns the promise for the end of the cleanup.
  private func expectRing(
    line: Int, ring: [Int]? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    cleanup: @escaping @Sendable (_ result: Promise<Int>, _ context: ManualContext) -> Promise<Void>
  ) {
    let reports = Reports.unhandled {
      let late = Late<Int>()
      let result = source.promise.alwaysThen(on: context, fileID: "M/F", line: 2) { [context] _ in
        defer { late.promise = nil }
        return cleanup(late(), context)
      }
      late.promise = result
      let finish = result.whenFinished(fileID: "M/F", line: 3)
      result.cancel(upstream: true)
      context.runUntilIdle()
      #expect(result.isFinished, sourceLocation: sourceLocation)
      #expect(finish.isFulfilled, sourceLocation: sourceLocation)
      #expect(result.waitsFor.isEmpty, sourceLocation: sourceLocation)
    }
    #expect(reports == [Unhandled("cycle", line: line)], sourceLocation: sourceLocation)
  }

  @Test("A cleanup that waits for the finish of its own promise fails")
  func ownFinish() { expectRing(line: 2) { result, _ in result.whenFinished(fileID: "M/F", line: 4) } }

  @Test("A cleanup that waits for its promise through links fails")
  func ownFinishBehindLinks() {
    expectRing(line: 2) { result, context in
      result.whenFinished(fileID: "M/F", line: 4).map(on: context) {}.asVoid()
    }
  }

  @Test("A cleanup fails that waits for a promise which waits for its own")
  func finishOfLink() {
    expectRing(line: 2) { result, context in
      result.map(on: context) { $0 }.asVoid().whenFinished(fileID: "M/F", line: 4)
    }
  }

  /// A promise that a cleanup returns although it is settled, and waits for the cleanup.
  enum Returned: CaseIterable, Sendable { case own, link, linkOfLink }

  @Test(
    "A settled promise that a cleanup returns, and that waits for it, is not waited for", arguments: Returned.allCases)
  func settled(_ returned: Returned) {
    let late = Late<Int>()
    let result = source.promise.alwaysThen(on: context) { _ in
      defer { late.promise = nil }
      let link = late().recover(on: .atOnce) { _ in 1 }
      switch returned {
      case .own: return late()
      case .link: return link
      case .linkOfLink: return link.map(on: .atOnce) { $0 }
      }
    }
    late.promise = result
    result.cancel()
    context.runUntilIdle()
    #expect(result.isFinished)
    #expect(result.waitsFor.isEmpty)
    source.fulfill(1)
  }

  @Test("A promise far below a cleanup's own, which the cleanup returns, is not waited for", arguments: [1, 1_000])
  func settledFarBelow(_ count: Int) {
    let late = Late<Int>()
    let result = source.promise.alwaysThen(on: context) { _ in
      defer { late.promise = nil }
      return late()
    }
    late.promise = (0..<count).reduce(result) { last, _ in last.map(on: context) { $0 } }
    result.cancel()
    context.runUntilIdle()
    #expect(result.isFinished)
    #expect(result.waitsFor.isEmpty)
    source.fulfill(1)
  }

  @Test("A handler that cancels a Task, and returns the promise that this gives up, is not waited for", .rule("4.7"))
  func givenUpByTask() {
    let world = TestWorld()
    let late = Late<Int>()
    let waiting = Late<Int>()
    let handler = source.promise.then(on: world.main) { _ in
      defer { late.promise = nil }
      waiting().cancel()
      return late()
    }
    late.promise = handler.map(on: world.main) { $0 }
    waiting.promise = world.run { .task { try await late().value(cancelsSource: true) } }
    world.runUntilIdle()
    source.fulfill(1)
    world.runUntilIdle()
    #expect(waiting().isCancelled)
    #expect(waiting().isFinished)
    #expect(handler.isFinished)
    waiting.promise = nil
  }

  @Test("A link in a cleanup that adopts the finish of the cleanup's promise is rejected")
  func adopter() {
    expectRing(line: 5) { result, context in
      Promise.fulfilled().then(on: context, fileID: "M/F", line: 5) { result.whenFinished(fileID: "M/F", line: 4) }
    }
  }

  @Test("An owner in a cleanup that follows the finish of the cleanup's promise, or the promise, is rejected")
  func follower() {
    expectRing(line: 5) { result, context in
      let owner = Deferred<Void>(fileID: "M/F", line: 5)
      Promise.fulfilled().onFulfilled(on: context) { owner.follow(result.whenFinished(fileID: "M/F", line: 4)) }
      return owner.promise
    }
    let result = Late<Int>()
    let owner = Deferred<Int>(fileID: "M/F", line: 7)
    let other = Deferred<Int>()
    result.promise = other.promise.alwaysThen(on: context) { _ in owner.promise }
    result().cancel()
    context.runUntilIdle()
    #expect(!result().isFinished)
    #expect(owner.follow(result()))
    #expect(owner.promise.status == .rejected(.cycle(7)))
    #expect(result().isFinished)
    #expect(owner.promise.isFinished)
  }

  @Test("A link in a cleanup is rejected that adopts a promise whose handler is queued after the cleanup's promise")
  func queuedHandler() {
    expectRing(line: 5) { result, context in
      Promise.fulfilled().then(on: context, fileID: "M/F", line: 5) {
        result.asVoid().recover(on: context) { _ in }
      }
    }
  }

  @Test("A cleanup after a value that waits for the finish of its own promise rejects the promise")
  func afterValue() {
    let late = Late<Int>()
    let result = source.promise.alwaysThen(on: context, fileID: "M/F", line: 2) { _ in
      late().whenFinished(fileID: "M/F", line: 4)
    }
    late.promise = result
    source.fulfill(1)
    context.runUntilIdle()
    #expect(result.status == .rejected(.cycle(2)))
    #expect(result.isFinished)
    late.promise = nil
  }

  @Test("The error names the promises of the ring")
  func ring() throws {
    let late = Late<Int>()
    let link = Late<Void>()
    late.promise = source.promise.alwaysThen(on: context, fileID: "M/F", line: 2) { [context] _ in
      link.promise = Promise.fulfilled().then(on: context, fileID: "M/F", line: 5) {
        late().whenFinished(fileID: "M/F", line: 4)
      }
      return link()
    }
    late().cancel()
    context.runUntilIdle()
    guard case PromiseError.cycle(let site, let ring)? = link().error else { throw TestError() }
    #expect(site.line == 5)
    #expect(Set(ring.map(\.line)) == [2, 4])
    late.promise = nil
    link.promise = nil
  }

  @Test("A handler of a cancelled promise is not waited for if it returns a link below the promise")
  func linkBelow() {
    let late = Late<Int>()
    let result = source.promise.then(on: context, fileID: "M/F", line: 2) { _ in
      late().cancel()
      return late().map { $0 }
    }
    late.promise = result
    source.fulfill(1)
    context.runUntilIdle()
    #expect(result.isCancelled)
    #expect(result.isFinished)
    late.promise = nil
  }

  @Test("A hook that waits for its own promise is reported and not waited for", .rule("4.5"), arguments: [false, true])
  func hook(isForEnd: Bool) {
    expectUnhandled([Unhandled("cycle", line: 8)]) {
      let owner = Deferred<Int>(fileID: "M/F", line: 7)
      let promise = owner.promise
      let hook: @Sendable () -> Promise<Void> = { [weak promise] in
        promise?.whenFinished(fileID: "M/F", line: 4) ?? .rejected(TestError(99))
      }
      if isForEnd {
        owner.onEndThen(on: context, fileID: "M/F", line: 8) { _ in hook() }
      } else {
        owner.onCancelThen(on: context, fileID: "M/F", line: 8) { _ in hook() }
      }
      promise.cancel()
      #expect(!promise.isFinished)
      context.runUntilIdle()
      #expect(promise.isFinished)
    }
  }

  @Test(
    "The ring of an owner that follows a promise whose hook waits for it is named, and has one report", .rule("7.1"),
    arguments: [false, true])
  func followsThroughHook(isHandled: Bool) {
    let reports = Reports.unhandled {
      let owner = Deferred<Int>(fileID: "M/F", line: 7)
      let link = owner.promise.map(on: context, fileID: "M/F", line: 8) { $0 }
      let cancelled = Deferred<Int>(fileID: "M/F", line: 9)
      cancelled.onCancelThen(on: context) { _ in link }
      cancelled.promise.cancel()
      context.runUntilIdle()
      owner.follow(cancelled.promise)
      #expect(link.isRejected)
      #expect(cancelled.promise.isFinished)
      guard isHandled else { return }
      guard case PromiseError.cycle(_, let ring)? = owner.promise.error else {
        Issue.record("It was not rejected because of the ring.")
        return
      }
      #expect(Set(ring.map(\.line)) == [8, 9])
    }
    #expect(reports.map(\.error) == (isHandled ? [] : ["cycle"]))
  }

  @Test("Cleanups that wait for other promises which have not finished do not fail")
  func noRing() {
    let stopped = Deferred<Void>()
    let other = Deferred<Int>()
    other.onCancelThen { _ in stopped.promise }
    other.promise.cancel()
    let result = source.promise.alwaysThen(on: context) { [context] _ in
      Promise.fulfilled().then(on: context) { other.promise.whenFinished() }
    }
    let below = result.map(on: context) { $0 }
    let owner = Deferred<Void>()
    let waiting = Promise.fulfilled().then(on: context) { below.whenFinished() }
    owner.follow(waiting.whenFinished())
    result.cancel()
    context.runUntilIdle()
    #expect(!result.isFinished)
    #expect(waiting.isPending)
    stopped.fulfill()
    #expect(result.isFinished)
    #expect(below.isFinished)
    #expect(waiting.isFulfilled)
    #expect(owner.promise.isFulfilled)
  }

  @Test("A cleanup does not fail that ends while the cancellation still schedules handlers", .rule("2.10"))
  func cleanupThatEndsEarly() {
    let reports = Reports.unhandled {
      let result = source.promise.alwaysThen(on: .atOnce) { _ in Promise.fulfilled() }
      result.cancel(upstream: true)
      #expect(result.isFinished)
    }
    #expect(reports.isEmpty)
  }
}
