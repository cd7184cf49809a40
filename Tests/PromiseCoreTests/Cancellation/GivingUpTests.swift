import PromiseCore
import TestSupport
import Testing

@Suite("Giving up")
struct GivingUpTests {
  let context = ManualContext()
  let log = Log<Failure>()
  let source: Deferred<Int>

  init() { source = .logging(to: log) }

  private func owner() -> Deferred<Int> { .logging(to: log) }

  private func link(_ promise: Promise<Int>) -> Promise<Int> { promise.map(on: context) { $0 } }

  @Test("Giving up travels up a chain of links of any kind to the owner", .rule("4.4"), arguments: LinkKind.links)
  func chain(_ kind: LinkKind) {
    var promises = [source.promise]
    for _ in 0..<3 { promises.append(kind.attach(to: promises[promises.count - 1], on: context, giving: 2) {}) }
    promises[3].cancel(upstream: true)
    #expect(areCancelled(promises))
    #expect(log.entries == [.cancellation])
    context.runUntilIdle()
    #expect(areCancelled(promises))
  }

  @Test(
    "A shared ancestor is cancelled when its last branch gives up, with the reason of that branch",
    .rule("1.2", "4.0", "4.4"), arguments: [2, 5])
  func sharedAncestor(count: Int) {
    let shared = link(source.promise)
    let branches = (0..<count).map { _ in link(link(shared)) }
    for (index, branch) in branches.enumerated() {
      #expect(shared.isPending && source.promise.isPending, "\(index)")
      branch.cancel(reason: TestError(index), upstream: true)
      #expect(branch.isCancelled && branch.seen == .failed(index))
      #expect(branches[(index + 1)...].allSatisfy { $0.isPending })
    }
    for promise in [shared, source.promise] { #expect(promise.isCancelled && promise.seen == .failed(count - 1)) }
    #expect(log.entries == [.test(count - 1)])
  }

  /// An error that has an identity.
  private final class Reason: Error, Sendable {}

  @Test("Giving up rejects the whole chain with the very error that it was given", .rule("1.2", "4.4"))
  func sameError() {
    let (reason, work) = (Reason(), StoppableWork())
    let first = link(work.promise)
    let second = link(first)
    second.cancel(reason: reason, upstream: true)
    for promise in [work.promise, first, second] { #expect(promise.isCancelled && promise.error as? Reason === reason) }
    #expect(work.reasons.count == 1 && work.reasons.first as? Reason === reason)
  }

  @Test(
    "A plain cancel of the last consumer leaves the source pending until another consumer gives it up", .rule("4.4"))
  func cancelThenGiveUp() {
    link(source.promise).cancel()
    #expect(source.promise.isPending && log.entries == [])
    link(source.promise).cancel(upstream: true)
    #expect(areCancelled([source.promise]) && log.entries == [.cancellation])
  }

  @Test("Giving up reaches the top of a diamond through both arms", .rule("4.4"), arguments: [1, 4])
  func diamond(length: Int) {
    let arms = (0..<2).map { _ in (0..<length).reduce(source.promise) { promise, _ in link(promise) } }
    let bottom = owner()
    for arm in arms { bottom.follow(arm) }
    link(bottom.promise).cancel(upstream: true)
    #expect(areCancelled(arms + [bottom.promise, source.promise]))
    #expect(log.entries == [.cancellation, .cancellation])
  }

  @Test("A second call of cancel, in either form, changes nothing", .rule("4.1", "4.4"))
  func secondCall() {
    let below = link(link(source.promise))
    below.cancel(upstream: true)
    below.cancel(upstream: true)
    below.cancel(reason: TestError(9))
    source.promise.cancel(reason: TestError(9))
    #expect(areCancelled([below, source.promise]) && log.entries == [.cancellation])
  }

  @Test(
    "A second cancel of a cancelled promise, in either form, leaves its source alone", .rule("4.1"),
    arguments: CancelForm.allCases)
  func secondCallSparesSource(_ second: CancelForm) {
    let promise = link(source.promise)
    promise.cancel()
    second.apply(to: promise)
    #expect(areCancelled([promise]) && source.promise.isPending && log.entries == [])
  }

  // MARK: - Limits

  @Test("A diamond with another consumer on one arm keeps that arm and the top", .rule("4.4"), arguments: [0, 1])
  func diamondWithConsumer(arm: Int) {
    let arms = [link(source.promise), link(source.promise)]
    let bottom = owner()
    for arm in arms { bottom.follow(arm) }
    let other = link(arms[arm])
    bottom.promise.cancel(upstream: true)
    #expect(areCancelled([arms[1 - arm], bottom.promise]))
    #expect(arms[arm].isPending && source.promise.isPending && other.isPending)
    other.cancel(upstream: true)
    #expect(areCancelled([arms[arm], source.promise]))
  }

  @Test("Giving up stops at a settled ancestor, whose other links go on", .rule("4.4"))
  func stopsAtSettled() {
    let middle = link(source.promise)
    let (left, right) = (link(middle), link(middle))
    source.fulfill(1)
    context.step()
    left.cancel(upstream: true)
    #expect(areCancelled([left]) && right.isPending)
    context.runUntilIdle()
    #expect(right.seen == .fulfilled(1) && log.entries == [])
  }
}
