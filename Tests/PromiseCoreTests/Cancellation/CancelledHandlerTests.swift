import PromiseCore
import TestSupport
import Testing

@Suite("Handlers of cancelled promises", .leavingNothing)
struct CancelledHandlerTests {
  /// The ways to cancel the derived promise before its handler has started.
  enum Way: CaseIterable, Sendable {
    case byName, byNameUpstream, fromAbove, fromBelow
  }

  private let context = ManualContext()
  private let census = Tracked.Census()

  private func cancel(_ derived: Promise<Int>, _ way: Way, from source: Promise<Int>) {
    switch way {
    case .byName: derived.cancel(reason: TestError(7))
    case .byNameUpstream: derived.cancel(reason: TestError(7), upstream: true)
    case .fromAbove: source.cancel(reason: TestError(7))
    case .fromBelow: derived.map(on: context) { $0 }.cancel(reason: TestError(7), upstream: true)
    }
  }

  private static let replacing: [LinkKind] = [.recover, .recoverFrom, .rescue, .rescueFrom, .mapError, .mapErrorFrom]

  @Test(
    "A handler that replaces errors never runs, and is released at once, if its promise is cancelled before it starts",
    .rule("2.5"), arguments: replacing, Way.allCases)
  func replaces(_ kind: LinkKind, _ way: Way) {
    let calls = Log<Int>()
    for isQueued in [false, true] {
      let work = StoppableWork()
      if isQueued { work.deferred.reject(TestError(1)) }
      let derived = kind.attach(to: work.promise, on: context, giving: 0) { [tracked = Tracked(census)] in
        withExtendedLifetime(tracked) { calls.append(1) }
      }
      #expect(census.living == 1 && context.count == (isQueued ? 1 : 0))
      cancel(derived, way, from: work.promise)
      #expect(census.living == 0 && derived.isCancelled && derived.seen == .failed(7))
      #expect(isQueued || (way == .byName ? work.goesOn : work.isStopped))
      work.deferred.reject(TestError(1))
      context.runUntilIdle()
      #expect(calls.entries.isEmpty && derived.seen == .failed(7), "queued: \(isQueued)")
    }
  }

  @Test("A kept handler keeps its place, and the handlers behind it run", .rule("2.1", "2.2", "2.5"))
  func place() {
    let (owner, runs) = (Deferred<Int>(), Log<Int>())
    owner.promise.onRejected(on: context) { _ in runs.append(1) }
    let kept = owner.promise.catch(on: context) { _ in runs.append(2) }
    owner.promise.onRejected(on: context) { _ in runs.append(3) }
    kept.cancel()
    owner.reject(TestError(1))
    context.runUntilIdle()
    #expect(runs.entries == [1, 2, 3])
  }

  @Test(
    "The result or error of a handler is discarded if its promise was cancelled meanwhile", .rule("2.5"),
    arguments: [0, 1, 2])
  func discarded(kind: Int) {
    let box = Locked<Promise<Int>?>(nil)
    let derived = Promise.fulfilled(1).map(on: context) { value in
      box.withLock { $0 }?.cancel(reason: TestError(7))
      if kind == 0 { throw TestError(1) }
      if kind == 1 { throw CancellationError() }
      return value
    }
    box.withLock { $0 = derived }
    context.runUntilIdle()
    #expect(derived.isCancelled && derived.seen == .failed(7))
    box.withLock { $0 = nil }
  }
}
