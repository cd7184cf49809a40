import PromiseCore
import TestSupport
import Testing

/// An error that retains an object.
private struct Cargo: Error, Sendable { let tracked: Tracked }

@Suite("Sources of promises that have adopted another", .leavingNothing)
struct SettledSourceTests {
  enum Way: CaseIterable, Sendable { case then, thenBoth, thenBothRejected, rescue, compactMapThen }

  private let context = ManualContext()
  private let census = Tracked.Census()
  private let work = StoppableWork()

  private let living = Log<Int>()

  /// Makes a source that retains a tracked object in its outcome, and attaches a link that returns the promise of the
  /// work.
  private func derive(_ way: Way, isSettledBefore: Bool) -> Promise<Int> {
    let returned: @Sendable () -> Promise<Int> = { [census, living, work] in
      living.append(census.living)
      return work.promise
    }
    let deferred = Deferred<Tracked?>()
    let failing = Deferred<Int>()
    let settle = { [census] in
      _ = deferred.fulfill(Tracked(census))
      _ = failing.reject(Cargo(tracked: Tracked(census)))
    }
    if isSettledBefore { settle() }
    let (values, errors) = (deferred.promise, failing.promise)
    defer { if !isSettledBefore { settle() } }
    return switch way {
    case .then: values.then(on: context) { _ in returned() }
    case .thenBoth: values.then(on: context, fulfilled: { _ in returned() }, rejected: { throw $0 })
    case .thenBothRejected: errors.then(on: context, fulfilled: { .fulfilled($0) }, rejected: { _ in returned() })
    case .rescue: errors.rescue(on: context) { _ in returned() }
    case .compactMapThen: values.compactMap(on: context) { $0 }.then(on: context) { _ in returned() }
    }
  }

  @Test(
    "A promise retains its source until its handler has returned, and neither the source nor its outcome after that",
    .rule("6.1"), arguments: Way.allCases, [true, false])
  func releasesSource(_ way: Way, isSettledBefore: Bool) {
    let derived = derive(way, isSettledBefore: isSettledBefore)
    #expect(census.living == 1)
    context.runUntilIdle()
    #expect(living.entries == [1] && census.living == 0 && derived.isPending)
    work.deferred.fulfill(1)
    #expect(derived.seen == .fulfilled(1))
  }
}
