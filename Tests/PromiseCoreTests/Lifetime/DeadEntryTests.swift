import TestSupport
import Testing

/// The reason of a cancellation. The cancelled promise retains the reason, and the dead entry of its link retains the
/// promise. So the number of living reasons is the number of dead entries.
private struct CountedReason: Error { let tracked: Tracked }

/// A weak reference to the entry of an observer.
private struct WeakEntry {
  private(set) weak var entry: AnyObject?

  init(of observer: AttachedObserver) { entry = Mirror(reflecting: observer).descendant("entry") as AnyObject? }
}

/// The tests count entries instead of measuring memory, because other tests that free memory concurrently would hide a
/// leak.
@Suite("Dead entries of a pending promise", .leavingNothing) struct DeadEntryTests {
  private static let kinds: [LinkKind] = [.map, .then, .tap, .validate, .compactMap, .always, .alwaysThen]

  let census = Tracked.Census()
  let deferred = Deferred<Int>()

  private func attach(_ kind: LinkKind) -> Promise<Int> {
    kind.attach(to: deferred.promise, on: DroppingContext(), giving: 2) {}
  }

  /// A context that runs no job and is counted.
  private var countedContext: CallingContext {
    CallingContext(DroppingContext()) { [tracked = Tracked(census)] in withExtendedLifetime(tracked) {} }
  }

  private var reason: CountedReason { CountedReason(tracked: Tracked(census)) }

  @Test("A link that is cancelled releases its context at once", .rule("2.5", "4.9"), arguments: kinds)
  func contextOfLink(_ kind: LinkKind) {
    kind.attach(to: deferred.promise, on: countedContext, giving: 2) {}.cancel()
    #expect(census.living == 0)
    #expect(deferred.promise.isPending)
  }

  @Test("An observer that is detached releases its context at once", .rule("4.9"))
  func contextOfObserver() {
    let observer = deferred.promise.attachObserver(on: countedContext, handling: [.value, .error]) { _, _ in
      .nothing
    }
    #expect(census.living == 1)
    observer.detach()
    #expect(census.living == 0)
  }

  @Test("Cancelled links leave no entry, alone or among links that stay", .rule("4.9"), arguments: kinds, [0, 100])
  func links(_ kind: LinkKind, staying count: Int) {
    let staying = (0..<count).map { _ in attach(kind) }
    for _ in 0..<1_001 { attach(kind).cancel(reason: reason) }
    #expect(census.living == 0)
    #expect(deferred.promise.isPending)
    #expect(staying.allSatisfy { $0.isPending })
  }

  @Test("Detached observers leave no entry", .rule("4.9"))
  func observers() {
    var entries: [WeakEntry] = []
    for _ in 0..<1_000 {
      let observer = deferred.promise.attachObserver(on: DroppingContext(), handling: [.value, .error]) { _, _ in
        .nothing
      }
      entries.append(WeakEntry(of: observer))
      #expect(observer.detach())
    }
    #expect(entries.allSatisfy { $0.entry == nil })
    #expect(deferred.promise.isPending)
  }

  @Test("A promise that is deallocated while it is pending releases its dead entries", .rule("6.3"))
  func pendingPromise() {
    let entry: WeakEntry
    do {
      let promise = Promise<Int>(pendingAt: CreationSite(fileID: #fileID, line: #line))
      let observer = promise.attachObserver(on: nil, handling: [.value, .error]) { _, _ in .nothing }
      entry = WeakEntry(of: observer)
      #expect(entry.entry != nil)
      observer.detach()
    }
    // The expectation does not use the entry itself, because a failure would print it through its deallocated source.
    let isReleased = entry.entry == nil
    #expect(isReleased)
  }
}

@Suite("Many short-lived links", .leavingNothing) struct ShortLivedLinkTests {
  /// The ways in which a promise stops waiting for another.
  enum Way: CaseIterable, Sendable { case ownerSettles, otherSettles, adopterSettles }

  @Test(
    "Followers that stop waiting for a pending promise leave at most a small constant behind", .rule("4.9", "6.1"),
    .slow, arguments: Way.allCases)
  func formerFollowers(_ way: Way) {
    let census = Tracked.Census()
    let pending = Deferred<Tracked>()
    for _ in 0..<10_000 {
      let follower = Deferred<Tracked>()
      switch way {
      case .ownerSettles:
        follower.follow(pending.promise)
        follower.fulfill(Tracked(census))
      case .otherSettles:
        follower.follow(pending.promise)
        follower.follow(.fulfilled(Tracked(census)))
      case .adopterSettles:
        let between = Deferred<Tracked>()
        between.follow(pending.promise)
        follower.follow(between.promise)
        between.fulfill(Tracked(census))
      }
    }
    #expect(census.living <= 16)
    #expect(pending.promise.isPending)
  }
}
