import PromiseCore
import TestSupport
import Testing

@Suite("Limits of giving up")
struct GivingUpStopTests {
  let context = ManualContext()
  let log = Log<Failure>()

  private func owner() -> Deferred<Int> { .logging(to: log) }

  private func link(_ promise: Promise<Int>) -> Promise<Int> { promise.map(on: context) { $0 } }

  @Test("Another consumer of an ancestor keeps that ancestor going", .rule("4.0", "4.4"), arguments: Consumer.allCases)
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
    "A promise that gives up is cancelled itself, whatever its consumers", .rule("4.2", "4.4"),
    arguments: Consumer.allCases)
  func consumersOfItself(_ consumer: Consumer) {
    let source = owner()
    let promise = link(source.promise)
    let kept = consumer.attach(to: promise, on: context)
    promise.cancel(upstream: true)
    #expect(areCancelled([promise, source.promise]))
    withExtendedLifetime(kept) {}
  }

  @Test(
    "References, property reads, hooks and cancelled consumers do not count as consumers", .rule("4.0"),
    arguments: [true, false])
  func noConsumers(givesUp: Bool) {
    let source = owner()
    let middle = link(source.promise)
    let held = [middle, link(middle), middle.shielded()]
    #expect(middle.isPending && middle.root === source.promise && middle.parent === source.promise)
    source.onCancel { _ in }
    held[2].cancel()
    let below = link(middle)
    if givesUp { held[1].cancel(upstream: true) } else { held[1].cancel() }
    #expect(middle.isPending)
    below.cancel(upstream: true)
    #expect(areCancelled([middle, source.promise]))
  }

  @Test("A diamond with another consumer on one arm keeps that arm and the top", .rule("4.4"), arguments: [0, 1])
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

  @Test("Giving up cancels a shield and stops there", .rule("4.4", "4.10"))
  func stopsAtShielded() {
    let source = owner()
    let shielded = source.promise.shielded()
    let below = link(link(shielded))
    below.cancel(upstream: true)
    #expect(areCancelled([shielded, below]))
    #expect(source.promise.isPending && log.entries == [])
  }

  @Test("Giving up stops at a settled ancestor, whose other links go on", .rule("4.4"))
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

  @Test("Giving up a settled promise cancels pending links below it and none beside it", .rule("4.1", "4.2"))
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
