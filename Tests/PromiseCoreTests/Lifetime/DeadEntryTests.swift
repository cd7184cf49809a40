import PromiseCore
import TestSupport
import Testing

/// The reason of a cancellation. The cancelled promise keeps it, and the dead entry of its link keeps the promise, so it
/// shows how many dead entries there are.
private struct CountedReason: Error {
  let tracked: Tracked
}

/// Runs nothing, and is counted.
private final class CountedContext: ExecutionContext {
  private let tracked: Tracked

  init(_ census: Tracked.Census) { tracked = Tracked(census) }

  func schedule(_ job: consuming Job) { _ = consume job }
}

/// The entry of an observer.
private struct WeakReaction {
  private(set) weak var reaction: AnyObject?

  init(of observer: AttachedObserver) { reaction = Mirror(reflecting: observer).descendant("reaction") as AnyObject? }
}

/// Entries are counted, and memory is not measured: other tests that free theirs at the same time would hide a leak.
@Suite("Dead entries of a pending promise", .leavingNothing)
struct DeadEntryTests {
  private static let kinds: [LinkKind] = [.map, .then, .tap, .validate, .compactMap, .always]

  let census = Tracked.Census()
  let deferred = Deferred<Int>()

  private func attach(_ kind: LinkKind) -> Promise<Int> {
    kind.attach(to: deferred.promise, on: DroppingContext(), giving: 2) {}
  }

  private var reason: CountedReason { CountedReason(tracked: Tracked(census)) }

  @Test("A link that is cancelled releases its context at once", .rule("2.5", "4.9"), arguments: kinds)
  func contextOfLink(_ kind: LinkKind) {
    kind.attach(to: deferred.promise, on: CountedContext(census), giving: 2) {}.cancel()
    #expect(census.living == 0)
    #expect(deferred.promise.isPending)
  }

  @Test("An observer that is detached releases its context at once", .rule("4.9"))
  func contextOfObserver() {
    let observer = deferred.promise.attachObserver(on: CountedContext(census), handling: [.value, .error]) { _, _ in
      .nothing
    }
    #expect(census.living == 1)
    observer.detach()
    #expect(census.living == 0)
  }

  @Test("rule 4.9: links that were cancelled leave at most 16 entries", arguments: kinds)
  func links(_ kind: LinkKind) {
    for _ in 0..<1_000 { attach(kind).cancel(reason: reason) }
    #expect(census.living <= 16)
    #expect(deferred.promise.isPending)
  }

  @Test("rule 4.9: links that were cancelled leave at most as many entries as there are that stay", arguments: kinds)
  func linksAmongStaying(_ kind: LinkKind) {
    let staying = (0..<100).map { _ in attach(kind) }
    for _ in 0..<1_001 { attach(kind).cancel(reason: reason) }
    #expect((1...100).contains(census.living))
    #expect(staying.allSatisfy { $0.isPending })
  }

  @Test(
    "Links that were cancelled leave a bounded number of entries, if there are more than are counted", .rule("4.9"),
    .slow)
  func linksByThousands() {
    let links = (0..<40_000).map { _ in attach(.map) }
    for link in links.prefix(30_000) { link.cancel(reason: TestError(1)) }
    for _ in 0..<10_000 { attach(.map).cancel(reason: reason) }
    // The count sticks at 16,383 (rule 4.0). Half of that may be dead before the list is walked.
    #expect((1...8_192).contains(census.living))
    #expect(links.suffix(10_000).allSatisfy { $0.isPending } && deferred.promise.isPending)
  }

  @Test("rule 4.9: observers that were detached leave at most 16 entries")
  func observers() {
    var entries: [WeakReaction] = []
    for _ in 0..<1_000 {
      let observer = deferred.promise.attachObserver(on: DroppingContext(), handling: [.value, .error]) { _, _ in
        .nothing
      }
      entries.append(WeakReaction(of: observer))
      #expect(observer.detach())
    }
    #expect((1...16).contains(entries.count { $0.reaction != nil }))
    #expect(deferred.promise.isPending)
  }

  @Test("The entry of a cancelled waiter counts as a dead one", .rule("4.7", "4.9"))
  func waiters() {
    let executor = ManualExecutor()
    // One less than it takes to walk the list.
    for _ in 0..<15 { attach(.map).cancel(reason: reason) }
    #expect(census.living == 15)
    let waiting = Waiting(for: deferred.promise, on: executor)
    executor.runUntilIdle()
    waiting.task.cancel()
    executor.runUntilIdle()
    #expect(census.living == 0 && deferred.promise.isPending)
  }

  @Test("An adopter keeps nothing of what it was derived from", .rule("4.9", "6.1"))
  func adopters() {
    let context = ManualContext()
    let staying = deferred.promise.map(on: context) { $0 }
    for _ in 0..<1_000 {
      let adopter = Promise.fulfilled(Tracked(census)).then(on: context) { [promise = deferred.promise] _ in promise }
      context.runUntilIdle()
      #expect(census.living == 0 && adopter.isPending)
      adopter.cancel()
    }
    #expect(staying.isPending)
  }

  @Test("Branches that give up leave at most 16 entries, where another wants the promise", .rule("4.4", "4.9"))
  func gaveUp() {
    let other = attach(.map)
    for _ in 0..<1_000 { attach(.map).cancel(reason: reason, upstream: true) }
    #expect((1...16).contains(census.living))
    #expect(other.isPending)
  }

  @Test("A promise that is deallocated while it is pending releases its dead entries", .rule("6.3"))
  func pendingPromise() {
    let entry: WeakReaction
    do {
      let promise = Promise<Int>(pendingAt: CreationSite(fileID: #fileID, line: #line))
      let observer = promise.attachObserver(on: nil, handling: [.value, .error]) { _, _ in .nothing }
      entry = WeakReaction(of: observer)
      #expect(entry.reaction != nil)
      observer.detach()
    }
    // Not the reaction itself, because a failure would print it through its source, which has been deallocated.
    let isReleased = entry.reaction == nil
    #expect(isReleased)
  }
}
