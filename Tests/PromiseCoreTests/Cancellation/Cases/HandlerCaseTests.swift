import PromiseCore
import TestSupport
import Testing

/// Links whose handler replaces an error.
private enum Replacing: CaseIterable, Sendable {
  case recover, recoverFrom, rescue, rescueFrom, mapError, mapErrorFrom, asyncRecover, asyncRecoverFrom

  var isAsync: Bool { self == .asyncRecover || self == .asyncRecoverFrom }

  func attach(
    to promise: Promise<Int>, on context: ManualContext, _ body: @escaping @Sendable () -> Void
  ) -> Promise<Int> {
    let replaced: @Sendable () -> Int = {
      body()
      return 0
    }
    return switch self {
    case .recover: promise.recover(on: context) { _ in replaced() }
    case .recoverFrom: promise.recover(from: TestError.self, on: context) { _ in replaced() }
    case .rescue: promise.rescue(on: context) { _ in .fulfilled(replaced()) }
    case .rescueFrom: promise.rescue(from: TestError.self, on: context) { _ in .fulfilled(replaced()) }
    case .mapErrorFrom: promise.mapError(from: TestError.self, on: context) { _ in TestError(replaced()) }
    case .mapError: promise.mapError(on: context) { _ in TestError(replaced()) }
    case .asyncRecover: promise.asyncRecover { _ in replaced() }
    case .asyncRecoverFrom: promise.asyncRecover(from: TestError.self) { _ in replaced() }
    }
  }
}

@Suite("Handlers of cancelled promises", .leavingNothing)
struct HandlerCaseTests {
  /// The ways to cancel the derived promise before its handler has started.
  enum Way: CaseIterable, Sendable {
    case byName, byNameUpstream, fromAbove, fromBelow
  }

  private let context = ManualContext()
  private let census = Tracked.Census()
  private let work = StoppableWork()

  private func cancel(_ derived: Promise<Int>, _ way: Way, from source: Promise<Int>) {
    switch way {
    case .byName: derived.cancel(reason: TestError(7))
    case .byNameUpstream: derived.cancel(reason: TestError(7), upstream: true)
    case .fromAbove: source.cancel(reason: TestError(7))
    case .fromBelow: derived.map(on: context) { $0 }.cancel(reason: TestError(7), upstream: true)
    }
  }

  /// Returns a closure that counts its calls. It lives as long as the handler that captures it.
  private func counting(_ calls: Log<Int>) -> @Sendable () -> Void {
    let tracked = Tracked(census)
    return { withExtendedLifetime(tracked) { calls.append(1) } }
  }

  @Test(
    "A handler that replaces errors is released at once, and never runs, if its promise is cancelled first",
    .rule("2.5"), arguments: Replacing.allCases, Way.allCases)
  private func replacing(_ kind: Replacing, _ way: Way) {
    let calls = Log<Int>()
    let derived = kind.attach(to: work.promise, on: context, counting(calls))
    #expect(census.living == 1)
    cancel(derived, way, from: work.promise)
    #expect(census.living == 0)
    #expect(derived.isCancelled && derived.seen == .failed(7))
    #expect(way == .byName ? work.goesOn : work.isStopped)
    work.deferred.reject(TestError(1))
    context.runUntilIdle()
    #expect(calls.entries.isEmpty && derived.seen == .failed(7))
  }

  @Test(
    "A handler that replaces errors does not run if its promise is cancelled while the handler is queued",
    .rule("2.5"), arguments: Replacing.allCases.filter { !$0.isAsync },
    [Way.byName, .byNameUpstream, .fromAbove, .fromBelow])
  private func queued(_ kind: Replacing, _ way: Way) {
    let calls = Log<Int>()
    let source = Promise<Int>.rejected(TestError(1))
    let derived = kind.attach(to: source, on: context, counting(calls))
    #expect(census.living == 1 && context.count == 1)
    cancel(derived, way, from: source)
    #expect(census.living == 0 && derived.isCancelled)
    context.runUntilIdle()
    #expect(calls.entries.isEmpty && derived.seen == .failed(7))
  }

  @Test("rescue does not begin a backup if its promise was cancelled", .rule("2.5"))
  func backup() {
    let begun = Log<Int>()
    let derived = work.promise.rescue(on: context) { _ in
      begun.append(1)
      return .fulfilled(0)
    }
    derived.cancel(upstream: true)
    #expect(work.isStopped)
    context.runUntilIdle()
    #expect(begun.entries.isEmpty && areCancelled([derived]))
  }

  @Test(
    "Handlers for values of cancelled promises are released when cancel returns", .rule("2.5"), arguments: Way.allCases)
  func valueHandlers(_ way: Way) {
    let calls = Log<Int>()
    let (tap, map) = (counting(calls), counting(calls))
    let derived = work.promise.tap(on: context) { [tap = consume tap] _ in tap() }
      .map(on: context) { [map = consume map] value in
        map()
        return value
      }
    #expect(census.living == 2)
    cancel(derived, way, from: work.promise)
    #expect(census.living == (way == .byName ? 1 : 0))
    work.deferred.fulfill(1)
    context.runUntilIdle()
    #expect(calls.entries == (way == .byName ? [1] : []) && census.living == 0)
  }

  @Test(
    "After a cancellation, catch and `rejected` run only if the source is rejected, and always runs once", .rule("2.5"),
    arguments: [LinkKind.mapBoth, .thenBoth, .catchAny, .catchFailure, .always, .alwaysThen], [false, true])
  func observingHandlers(_ kind: LinkKind, isRejected: Bool) {
    let calls = Log<Int>()
    let derived = kind.attach(to: work.promise, on: context, giving: 2) { calls.append(1) }
    derived.cancel()
    context.runUntilIdle()
    let before = calls.entries.count
    let runsOnce = [.always, .alwaysThen].contains(kind)
    #expect(before == (runsOnce ? 1 : 0))
    if isRejected { work.deferred.reject(TestError(1)) } else { work.deferred.fulfill(1) }
    context.runUntilIdle()
    #expect(calls.entries.count == (runsOnce || isRejected ? 1 : 0))
    #expect(areCancelled([derived]))
  }

  @Test("always runs with the reason if its source was pending, and with its outcome otherwise", .rule("2.5"))
  func alwaysOutcome() {
    let outcomes = Log<Seen<Int>>()
    let pending = work.promise.always(on: context) { outcomes.append(Seen($0)) }
    let settled = Promise.fulfilled(3).always(on: context) { outcomes.append(Seen($0)) }
    pending.cancel(reason: TestError(7))
    settled.cancel(reason: TestError(8))
    context.runUntilIdle()
    #expect(Set(outcomes.entries.map { "\($0)" }) == ["\(Seen<Int>.failed(7))", "\(Seen<Int>.fulfilled(3))"])
    #expect(outcomes.entries.count == 2)
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

  @Test(
    "Cancelling an async link cancels the Task of its running handler and settles its promise at once", .rule("2.5"))
  func asyncHandler() async throws {
    let (started, ended, never) = (Deferred<Void>(), Deferred<Bool>(), Deferred<Int>())
    let derived = Promise<Int>.rejected(TestError(1)).asyncRecover { _ in
      started.fulfill()
      _ = try? await never.promise.value
      ended.fulfill(Task.isCancelled)
      return 1
    }
    try await started.promise.value
    derived.map(on: context) { $0 }.cancel(reason: TestError(7), upstream: true)
    #expect(derived.isCancelled && derived.seen == .failed(7))
    #expect(try await ended.promise.value)
    #expect(derived.seen == .failed(7))
  }
}
