import TestSupport
import Testing

@Suite("The order of cleanups after a cancellation", .leavingNothing, .rule("2.10")) struct CleanupOrderTests {
  private let context = ManualContext()
  private let source = Deferred<Int>()
  private let log = Log<String>()
  private let outcomes = Log<Status<Int>>()
  /// The owners that end the cleanups.
  private let ends = (0..<3).map { _ in Deferred<Void>() }

  /// Attaches a cleanup that logs its beginning, and that its owner ends.
  private func cleanup(_ number: Int, after promise: Promise<Int>) -> Promise<Int> {
    promise.alwaysThen(on: context) { [log, outcomes, ends] outcome in
      log.append("cleanup \(number)")
      outcomes.append(Status(outcome))
      return ends[number - 1].promise
    }
  }

  /// Attaches three cleanups, one below the other.
  private func chain() -> [Promise<Int>] {
    let first = cleanup(1, after: source.promise)
    let second = cleanup(2, after: first)
    return [first, second, cleanup(3, after: second)]
  }

  /// Runs the handlers that are queued. Expects that exactly these cleanups have begun, in this order.
  private func expectBegun(_ numbers: [Int], sourceLocation: SourceLocation = #_sourceLocation) {
    context.runUntilIdle()
    #expect(log.entries == numbers.map { "cleanup \($0)" }, sourceLocation: sourceLocation)
  }

  @Test(
    "Cleanups of a chain run one after the other, from the source on, and receive the reason", .rule("2.5"),
    arguments: [false, true])
  func threeCleanups(isCancelledFromAbove: Bool) {
    let links = chain()
    let start = isCancelledFromAbove ? source.promise : links[2]
    start.cancel(reason: TestError(7), upstream: true)
    for link in links { #expect(link.isCancelled) }
    expectBegun([1])
    ends[0].fulfill()
    expectBegun([1, 2])
    #expect(links[0].isFinished)
    #expect(!links[1].isFinished)
    ends[1].fulfill()
    expectBegun([1, 2, 3])
    #expect(!links[2].isFinished)
    ends[2].fulfill()
    #expect(links[2].isFinished)
    #expect(outcomes.entries == [.failed(7), .failed(7), .failed(7)])
  }

  @Test("A cleanup beside the kept handler of a promise that was cancelled before waits for their source", .rule("2.5"))
  func besideKeptHandler() {
    let other = ManualContext()
    let always = source.promise.always(on: other) { [log] _ in log.append("always") }
    let first = cleanup(1, after: always)
    let kept = always.map(on: context, fulfilled: { _ in }, rejected: { [log] _ in log.append("kept") })
    kept.cancel()
    source.promise.cancel(reason: TestError(7))
    context.runUntilIdle()
    #expect(log.entries == ["kept"])
    other.runUntilIdle()
    context.runUntilIdle()
    #expect(log.entries == ["kept", "always", "cleanup 1"])
    ends[0].fulfill()
    #expect(first.isFinished)
  }

  @Test("A cleanup waits for its source if a bag cancels that before a settled promise above both", .rule("2.11"))
  func boundBesideSettledRoot() {
    let other = ManualContext()
    let bag = CancelBag()
    let always = source.promise.always(on: other) { [log] _ in log.append("always") }.bound(to: bag)
    let first = cleanup(1, after: always)
    source.promise.bound(to: bag)
    // Keeps the settled promise in the bag.
    source.promise.onFulfilled(on: other) { _ in }
    source.fulfill(1)
    bag.cancelAll(reason: TestError(7))
    context.runUntilIdle()
    #expect(log.entries.isEmpty)
    other.runUntilIdle()
    context.runUntilIdle()
    #expect(log.entries == ["always", "cleanup 1"])
    ends[0].fulfill()
    #expect(first.isFinished)
  }

  @Test(
    "Cleanups of a chain whose links are bound to one bag run one after the other", arguments: [0, 1, 2, 3, 4, 5],
    [false, true])
  func bound(_ permutation: Int, _ isReleased: Bool) {
    var bag: CancelBag? = CancelBag()
    var links = chain()
    // Binds the links in each of the six orders.
    let first = links.remove(at: permutation / 2)
    for link in [first] + (permutation % 2 == 0 ? links : links.reversed()) { link.bound(to: bag!) }
    if !isReleased { bag!.cancelAll(reason: TestError(7)) }
    bag = nil
    expectBegun([1])
    ends[0].fulfill()
    expectBegun([1, 2])
    ends[1].fulfill()
    expectBegun([1, 2, 3])
    ends[2].fulfill()
    #expect(first.isFinished && links.allSatisfy(\.isFinished))
  }

  @Test("A cleanup waits for the hook of its source if a bag cancels both", .rule("2.11", "4.5"))
  func boundBesideHook() {
    let stopped = Deferred<Void>()
    let bag = CancelBag()
    source.onCancelThen { _ in stopped.promise }
    source.promise.bound(to: bag)
    let first = cleanup(1, after: source.promise).bound(to: bag)
    bag.cancelAll()
    expectBegun([])
    stopped.fulfill()
    expectBegun([1])
    ends[0].fulfill()
    #expect(first.isFinished)
  }

  @Test("After a plain cancel, a cleanup begins at once, and those below it begin after it")
  func plainCancel() {
    let links = chain()
    links[1].cancel()
    expectBegun([2])
    #expect(links[0].isPending)
    ends[1].fulfill()
    expectBegun([2, 3])
    source.fulfill(1)
    expectBegun([2, 3, 1])
    ends[0].fulfill()
    #expect(links[0].status == .fulfilled(1))
  }

  @Test("A cleanup does not wait for a source that another consumer keeps going", .rule("4.4"))
  func keptSource() {
    let links = chain()
    let kept = links[0].map(on: context) { $0 }
    links[2].cancel(upstream: true)
    expectBegun([2])
    #expect(links[0].isPending)
    #expect(kept.isPending)
    ends[1].fulfill()
    expectBegun([2, 3])
  }

  @Test("A cleanup waits for one that had begun before the cancellation")
  func begunCleanup() {
    let links = chain()
    source.fulfill(1)
    expectBegun([1])
    links[2].cancel(upstream: true)
    for link in links { #expect(link.isCancelled) }
    expectBegun([1])
    ends[0].fulfill()
    expectBegun([1, 2])
    ends[1].fulfill()
    expectBegun([1, 2, 3])
  }

  @Test(
    "A cleanup begins when the one above it has failed, or will never begin", .rule("6.2"), arguments: [false, true])
  func failedCleanup(isDropped: Bool) {
    let links = chain()
    links[2].cancel(upstream: true)
    if isDropped {
      context.dropAll()
      expectBegun([2])
    } else {
      expectBegun([1])
      ends[0].reject(TestError(1))
      expectBegun([1, 2])
    }
    #expect(links[0].isFinished)
  }

  @Test("Cleanups of sibling links do not wait for each other")
  func siblings() {
    let first = cleanup(1, after: source.promise)
    let second = cleanup(2, after: source.promise)
    source.promise.cancel()
    expectBegun([1, 2])
    ends[1].fulfill()
    #expect(second.isFinished)
    #expect(!first.isFinished)
  }

  @Test("A cleanup waits for the hooks that stop the work above it", .rule("4.5"))
  func hooks() {
    let hooks = ManualContext()
    source.onCancel(on: hooks) { [log] _ in log.append("stopped") }
    let link = cleanup(1, after: source.promise.map(on: context) { $0 })
    link.cancel(upstream: true)
    expectBegun([])
    hooks.runUntilIdle()
    context.runUntilIdle()
    #expect(log.entries == ["stopped", "cleanup 1"])
  }

  /// The way in which handlers of a chain learn of an error.
  enum Ending: CaseIterable, Sendable { case rejected, cancelledFromAbove, cancelledFromBelow }

  @Test("Handlers of always and catch run in the order of the chain", .rule("2.5"), arguments: Ending.allCases)
  func otherHandlers(_ ending: Ending) {
    let first = source.promise.always(on: context) { [log] _ in log.append("always 1") }
    let second = first.catch(on: context) { [log] _ in log.append("catch 2") }
    let third = second.always(on: context) { [log] _ in log.append("always 3") }
    switch ending {
    case .rejected: source.reject(TestError(1))
    case .cancelledFromAbove: source.promise.cancel()
    case .cancelledFromBelow: third.cancel(upstream: true)
    }
    context.runUntilIdle()
    #expect(log.entries == ["always 1", "catch 2", "always 3"])
    #expect(third.isFinished)
  }

  @Test("Handlers of always and catch below a cleanup do not wait for its end", arguments: [false, true])
  func otherHandlersBelow(isCancelledFromAbove: Bool) {
    let first = cleanup(1, after: source.promise)
    let second = first.always(on: context) { [log] _ in log.append("always") }
    let third = second.catch(on: context) { [log] _ in log.append("catch") }
    if isCancelledFromAbove { source.promise.cancel() } else { third.cancel(upstream: true) }
    context.runUntilIdle()
    #expect(log.entries.filter { $0 != "cleanup 1" } == ["always", "catch"])
    #expect(log.entries.contains("cleanup 1"))
    #expect(!third.isFinished)
    ends[0].fulfill()
    #expect(third.isFinished)
  }

  @Test(
    "The error of a cleanup is reported, also if its link is cancelled while the handler runs", .rule("7.1"),
    arguments: [false, true])
  func errorOfCancelledCleanup(isSettled: Bool) {
    expectUnhandled([Unhandled(2, line: 2)]) {
      let owner = Deferred<Int>()
      let failing = Deferred<Void>(line: 2)
      let own = Locked<Promise<Int>?>(nil)
      let link = owner.promise.alwaysThen(on: context, line: 2) { _ in
        own.withLock { $0.take() }?.cancel()
        if isSettled { failing.reject(TestError(2)) }
        return failing.promise
      }
      own.withLock { $0 = link }
      owner.fulfill(1)
      context.runUntilIdle()
      if !isSettled { failing.reject(TestError(2)) }
      #expect(link.isFinished)
    }
  }
}
