import PromiseCore
import TestSupport
import Testing

/// Runs nothing, and is counted: an entry in the list of a promise keeps its context, so it shows how many entries there are.
private final class CountedContext: ExecutionContext {
  private let tracked: Tracked

  init(_ census: Tracked.Census) { tracked = Tracked(census) }

  func schedule(_ job: consuming Job) { _ = consume job }
}

/// Entries are counted, and memory is not measured: other tests that free theirs at the same time would hide a leak.
@Suite("Dead entries of a pending promise", .leavingNothing)
struct DeadEntryTests {
  private static let kinds: [LinkKind] = [.map, .then, .tap, .validate, .compactMap, .always]

  let census = Tracked.Census()
  let deferred = Deferred<Int>()

  private func attach(_ kind: LinkKind) -> Promise<Int> {
    kind.attach(to: deferred.promise, on: CountedContext(census), giving: 2) {}
  }

  @Test("rule 4.9: links that were cancelled leave at most 16 entries", arguments: kinds)
  func links(_ kind: LinkKind) {
    for _ in 0..<1_000 { attach(kind).cancel() }
    #expect(census.living <= 16)
    #expect(deferred.promise.isPending)
  }

  @Test("rule 4.9: links that were cancelled leave at most as many entries as there are that stay", arguments: kinds)
  func linksAmongStaying(_ kind: LinkKind) {
    let staying = (0..<100).map { _ in attach(kind) }
    for _ in 0..<1_000 { attach(kind).cancel() }
    #expect(census.living <= 200)
    #expect(staying.allSatisfy { $0.isPending })
  }

  @Test(
    "Links that were cancelled leave a bounded number of entries, if there are more than are counted", .rule("4.9"),
    .slow)
  func linksByThousands() {
    let links = (0..<40_000).map { _ in attach(.map) }
    for link in links.prefix(30_000) { link.cancel() }
    // The count sticks at 16,383 (rule 4.0). Half of that may be dead before the list is walked.
    #expect((10_000...18_192).contains(census.living))
    #expect(links.suffix(10_000).allSatisfy { $0.isPending } && deferred.promise.isPending)
  }

  @Test("rule 4.9: observers that were detached leave at most 16 entries")
  func observers() {
    for _ in 0..<1_000 {
      let observer = deferred.promise.attachObserver(on: CountedContext(census), handling: [.value, .error]) { _, _ in
        .nothing
      }
      #expect(observer.detach())
    }
    #expect(census.living <= 16)
    #expect(deferred.promise.isPending)
  }

  @Test("The entry of a cancelled waiter counts as a dead one", .rule("4.7", "4.9"))
  func waiters() {
    let executor = ManualExecutor()
    // One less than it takes to walk the list.
    for _ in 0..<15 { attach(.map).cancel() }
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
    for _ in 0..<1_000 { attach(.map).cancel(upstream: true) }
    #expect(census.living <= 17)
    #expect(other.isPending)
  }

  @Test("A promise that is deallocated while it is pending releases its dead entries", .rule("6.3"))
  func pendingPromise() {
    weak var reaction: AnyObject?
    do {
      let promise = Promise<Int>(pendingAt: CreationSite(fileID: #fileID, line: #line))
      let observer = promise.attachObserver(on: nil, handling: [.value, .error]) { _, _ in .nothing }
      reaction = Mirror(reflecting: observer).descendant("reaction") as AnyObject?
      #expect(reaction != nil)
      observer.detach()
    }
    // Not the reaction itself, because a failure would print it through its source, which has been deallocated.
    let isReleased = reaction == nil
    #expect(isReleased)
  }
}
