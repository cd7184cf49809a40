import PromiseCore
import TestSupport
import Testing

@Suite("Giving up")
struct GivingUpTests {
  let context = ManualContext()
  let log = Log<Failure>()

  private func owner() -> Deferred<Int> { .logging(to: log) }

  private func link(_ promise: Promise<Int>) -> Promise<Int> { promise.map(on: context) { $0 } }

  @Test("Giving up travels up a chain of links of any kind to the owner", .rule("4.4"), arguments: LinkKind.links)
  func chain(_ kind: LinkKind) {
    let source = owner()
    var promises = [source.promise]
    for _ in 0..<3 { promises.append(kind.attach(to: promises[promises.count - 1], on: context, giving: 2) {}) }
    promises[3].cancel(upstream: true)
    #expect(areCancelled(promises))
    #expect(log.entries == [.cancellation])
    context.runUntilIdle()
    #expect(areCancelled(promises))
  }

  @Test("A shared ancestor is cancelled when its last branch gives up", .rule("4.0", "4.4"), arguments: [2, 5])
  func sharedAncestor(count: Int) {
    let source = owner()
    let shared = link(source.promise)
    let branches = (0..<count).map { _ in link(link(shared)) }
    for (index, branch) in branches.enumerated() {
      #expect(shared.isPending && source.promise.isPending, "\(index)")
      branch.cancel(upstream: true)
      #expect(areCancelled([branch]))
      #expect(branches[(index + 1)...].allSatisfy { $0.isPending })
    }
    #expect(areCancelled([shared, source.promise]))
    #expect(log.entries == [.cancellation])
  }

  @Test(
    "A plain cancel of the last consumer leaves the source pending until another consumer gives it up", .rule("4.4"))
  func cancelThenGiveUp() {
    let source = owner()
    link(source.promise).cancel()
    #expect(source.promise.isPending && log.entries == [])
    link(source.promise).cancel(upstream: true)
    #expect(areCancelled([source.promise]) && log.entries == [.cancellation])
  }

  @Test("Giving up reaches the top of a diamond through both arms", .rule("4.4"), arguments: [1, 4])
  func diamond(length: Int) {
    let source = owner()
    let arms = (0..<2).map { _ in (0..<length).reduce(source.promise) { promise, _ in link(promise) } }
    let bottom = owner()
    for arm in arms { bottom.follow(arm) }
    link(bottom.promise).cancel(upstream: true)
    #expect(areCancelled(arms + [bottom.promise, source.promise]))
    #expect(log.entries == [.cancellation, .cancellation])
  }

  @Test("Giving up travels through an adopted promise to its source", .rule("4.4"))
  func throughAdopted() {
    let (source, inner) = (owner(), owner())
    let adopted = link(link(inner.promise))
    let adopter = source.promise.then(on: context) { _ in adopted }
    source.fulfill(1)
    context.step()
    link(adopter).cancel(upstream: true)
    #expect(areCancelled([adopter, adopted, inner.promise]))
    #expect(source.promise.seen == .fulfilled(1))
    #expect(log.entries == [.cancellation])
  }

  @Test(
    "A promise returned by a handler is given up if the derived promise was given up while the handler ran",
    .rule("2.5", "4.4"))
  func returnedLater() {
    let inner = owner()
    let adopted = link(inner.promise)
    let slot = Log<Promise<Int>>()
    let adopter = Promise.fulfilled(1).then(on: context) { _ in
      slot.entries[0].cancel(upstream: true)
      return adopted
    }
    slot.append(adopter)
    context.step()
    #expect(areCancelled([adopter, adopted]))
  }

  @Test("A link that recovers from a cancelled promise is given up like any other link", .rule("4.3", "4.4"))
  func afterRecover() {
    let source = owner()
    source.promise.cancel()
    let recovered = source.promise.recover(on: context) { _ in 2 }
    let below = link(recovered)
    below.cancel(upstream: true)
    #expect(areCancelled([recovered, below]))
    context.runUntilIdle()
    #expect(areCancelled([recovered, below]) && log.entries == [.cancellation])
    let again = source.promise.recover(on: context) { _ in 2 }
    context.runUntilIdle()
    #expect(again.seen == .fulfilled(2))
  }

  @Test("A second call of cancel, in either form, changes nothing", .rule("4.1", "4.4"))
  func secondCall() {
    let source = owner()
    let below = link(link(source.promise))
    below.cancel(upstream: true)
    below.cancel(upstream: true)
    below.cancel(reason: TestError(9))
    source.promise.cancel(reason: TestError(9))
    #expect(areCancelled([below, source.promise]) && log.entries == [.cancellation])
  }
}
