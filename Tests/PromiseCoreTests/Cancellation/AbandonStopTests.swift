import PromiseCore
import TestSupport
import Testing

@Suite("Abandon: where it stops")
struct AbandonStopTests {
  let context = ManualContext()
  let log = Log<Failure>()

  private func owner() -> Deferred<Int> { .logging(to: log) }

  private func link(_ promise: Promise<Int>) -> Promise<Int> { promise.map(on: context) { $0 } }

  @Test("rules 4.0 4.6: whoever else wants an ancestor stops the abandon there", arguments: Consumer.allCases)
  func stopsAtConsumer(_ consumer: Consumer) {
    let source = owner()
    let middle = link(source.promise)
    let kept = consumer.attach(to: middle, on: context)
    let (above, below) = (link(middle), link(link(middle)))
    below.cancel(upstream: true)
    above.cancel(upstream: true)
    #expect(areCancelled([above, below]))
    #expect(middle.isPending && source.promise.isPending)
    #expect(log.entries == [])
    source.fulfill(1)
    context.runUntilIdle()
    #expect(middle.seen == .fulfilled(1))
    withExtendedLifetime(kept) {}
  }

  @Test(
    "rules 4.0 4.6: of more consumers than the state word can count the last one counts too, links and followers alike",
    .slow,
    arguments: [false, true])
  func manyConsumers(areFollowers: Bool) {
    let source = owner()
    // The word has room for 16,383.
    var owners = (0..<(areFollowers ? 16_400 : 0)).map { _ in Deferred<Int>() }
    for owner in owners { owner.follow(source.promise) }
    var consumers = areFollowers ? owners.map(\.promise) : (0..<16_400).map { _ in link(source.promise) }
    while consumers.count > 1 {
      consumers.removeLast().cancel(upstream: true)
      if !source.promise.isPending { break }
    }
    #expect(consumers.count == 1 && source.promise.isPending)
    consumers.removeLast().cancel(upstream: true)
    #expect(source.promise.isCancelled)
    owners = []
  }

  @Test("rules 4.0 4.6: the abandoned promise itself is cancelled, whoever wants it", arguments: Consumer.allCases)
  func consumersOfItself(_ consumer: Consumer) {
    let source = owner()
    let promise = link(source.promise)
    let kept = consumer.attach(to: promise, on: context)
    promise.cancel(upstream: true)
    #expect(areCancelled([promise, source.promise]))
    withExtendedLifetime(kept) {}
  }

  @Test("rule 4.0: references, looks, hooks and cancelled consumers do not count", arguments: [true, false])
  func noConsumers(isAbandoned: Bool) {
    let source = owner()
    let middle = link(source.promise)
    let held = [middle, link(middle), middle.shielded()]
    #expect(middle.isPending && middle.root === source.promise && middle.parent === source.promise)
    source.onCancel { _ in }
    held[2].cancel()
    let below = link(middle)
    if isAbandoned { held[1].cancel(upstream: true) } else { held[1].cancel() }
    #expect(middle.isPending)
    below.cancel(upstream: true)
    #expect(areCancelled([middle, source.promise]))
  }

  @Test("rule 4.6: a diamond with another consumer on one arm keeps the top and that arm", arguments: [0, 1])
  func diamondWithConsumer(arm: Int) {
    let source = owner()
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

  @Test("rules 4.6 4.10: abandon stops at a shielded promise, which it cancels")
  func stopsAtShielded() {
    let source = owner()
    let shielded = source.promise.shielded()
    let below = link(link(shielded))
    below.cancel(upstream: true)
    #expect(areCancelled([shielded, below]))
    #expect(source.promise.isPending && log.entries == [])
  }

  @Test("rule 4.6: abandon stops at settled ancestors, and what is beside it goes on")
  func stopsAtSettled() {
    let source = owner()
    let middle = link(source.promise)
    let (left, right) = (link(middle), link(middle))
    source.fulfill(1)
    context.step()
    left.cancel(upstream: true)
    #expect(areCancelled([left]) && right.isPending)
    context.runUntilIdle()
    #expect(right.seen == .fulfilled(1) && log.entries == [])
  }

  @Test("rules 4.2 4.6: to abandon a settled promise cancels what is pending below, and nothing above or beside")
  func settledPromise() {
    let source = owner()
    let (promise, beside) = (link(source.promise), link(source.promise))
    let below = link(promise)
    source.fulfill(1)
    context.step()
    promise.cancel(upstream: true)
    #expect(areCancelled([below]))
    #expect(promise.seen == .fulfilled(1) && beside.isPending && log.entries == [])
  }
}
