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

  /// Makes a source that retains a tracked object in its outcome, and attaches a link that returns `inner`.
  private func make(
    _ way: Way, isSettledBefore: Bool = true, returning inner: Promise<Int>,
    _ body: @escaping @Sendable () -> Void = {}
  ) -> (source: AnyPromise, derived: Promise<Int>) {
    let returned: @Sendable () -> Promise<Int> = {
      body()
      return inner
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
    switch way {
    case .then: return (values, values.then(on: context) { _ in returned() })
    case .thenBoth: return (values, values.then(on: context, fulfilled: { _ in returned() }, rejected: { throw $0 }))
    case .thenBothRejected:
      return (errors, errors.then(on: context, fulfilled: { .fulfilled($0) }, rejected: { _ in returned() }))
    case .rescue: return (errors, errors.rescue(on: context) { _ in returned() })
    case .compactMapThen:
      let mapped = values.compactMap(on: context) { $0 }
      return (mapped, mapped.then(on: context) { _ in returned() })
    }
  }

  /// Makes the link, runs its handler, and releases the source.
  private func adopt(_ way: Way, isSettledBefore: Bool) -> Promise<Int> {
    let derived = make(way, isSettledBefore: isSettledBefore, returning: work.promise).derived
    #expect(census.living == 1)
    context.runUntilIdle()
    return derived
  }

  @Test(
    "A promise that has adopted another retains neither its settled source nor the outcome of the source", .rule("6.1"),
    arguments: Way.allCases, [true, false])
  func releasesSource(_ way: Way, isSettledBefore: Bool) {
    let derived = adopt(way, isSettledBefore: isSettledBefore)
    #expect(derived.isPending && census.living == 0)
    work.deferred.fulfill(1)
    #expect(derived.seen == .fulfilled(1))
  }

  @Test(
    "A source that the client retained during the handler is deallocated when the client releases it", .rule("6.1"),
    arguments: Way.allCases)
  func heldDuringHandler(_ way: Way) {
    weak var probe: AnyPromise?
    let derived: Promise<Int>
    do {
      let made = make(way, returning: work.promise)
      probe = made.source
      derived = made.derived
      context.runUntilIdle()
      #expect(derived.isPending && census.living == 1)
      withExtendedLifetime(made.source) {}
    }
    #expect(probe == nil && census.living == 0 && derived.isPending)
    work.deferred.fulfill(1)
    #expect(derived.seen == .fulfilled(1))
  }

  @Test("A source is retained until the handler has returned", .rule("6.1"), arguments: Way.allCases)
  func retainedInHandler(_ way: Way) {
    let living = Log<Int>()
    let derived = make(way, returning: work.promise) { [census] in living.append(census.living) }.derived
    context.runUntilIdle()
    #expect(living.entries == [1] && census.living == 0 && derived.isPending)
  }

  @Test(
    "parent of an adopter is its source or nil, and never the adopted promise", .rule("6.3"),
    arguments: Way.allCases)
  func afterAdoption(_ way: Way) {
    let (source, derived) = make(way, returning: work.promise)
    context.runUntilIdle()
    #expect(derived.isPending && (derived.parent == nil || derived.parent === source))
    #expect(derived.root === derived || derived.root === source.root)
  }
}
