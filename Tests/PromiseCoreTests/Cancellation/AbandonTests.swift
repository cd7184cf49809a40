import PromiseCore
import TestSupport
import Testing

@Suite("Abandon")
struct AbandonTests {
  let context = ManualContext()
  let log = Log<Failure>()

  /// An owner whose hook logs.
  private func owner() -> Deferred<Int> {
    let deferred = Deferred<Int>()
    deferred.onCancel { [log] in log.append(Failure($0)) }
    return deferred
  }

  private func link(_ promise: Promise<Int>) -> Promise<Int> { promise.map(on: context) { $0 } }

  private func areCancelled(_ promises: [Promise<Int>]) -> Bool {
    promises.allSatisfy { $0.isCancelled && $0.seen == .rejected(.cancellation) }
  }

  @Test("rule 4.6: abandon travels up a chain of any links, to the owner", arguments: LinkKind.links)
  func chain(_ kind: LinkKind) {
    let source = owner()
    var promises = [source.promise]
    for _ in 0..<3 { promises.append(kind.attach(to: promises[promises.count - 1], on: context, giving: 2) {}) }
    promises[3].abandon()
    #expect(areCancelled(promises))
    #expect(log.entries == [.cancellation])
    context.runUntilIdle()
    #expect(areCancelled(promises))
  }

  @Test("rules 4.0 4.6: a shared ancestor is cancelled when the last branch is abandoned", arguments: [2, 5])
  func sharedAncestor(count: Int) {
    let source = owner()
    let shared = link(source.promise)
    let branches = (0..<count).map { _ in link(link(shared)) }
    for (index, branch) in branches.enumerated() {
      #expect(shared.isPending && source.promise.isPending, "\(index)")
      branch.abandon()
      #expect(areCancelled([branch]))
      #expect(branches[(index + 1)...].allSatisfy { $0.isPending })
    }
    #expect(areCancelled([shared, source.promise]))
    #expect(log.entries == [.cancellation])
  }

  /// Who may want a promise, too.
  enum Consumer: CaseIterable, Sendable {
    case link, unheldLink, shielded, follower, adopter, onFulfilled, onRejected, onSettled

    /// Attaches it; what has to be held is returned.
    func attach(to promise: Promise<Int>, on context: ManualContext) -> Deferred<Int>? {
      switch self {
      case .link: return keep(promise.map(on: context) { $0 })
      case .unheldLink: promise.tap(on: context) { _ in }
      case .shielded: return keep(promise.shielded())
      case .follower:
        let deferred = Deferred<Int>()
        deferred.follow(promise)
        return deferred
      case .adopter:
        let adopter = Promise.fulfilled(1).then(on: context) { _ in promise }
        context.step()
        return keep(adopter)
      case .onFulfilled: promise.onFulfilled(on: context) { _ in }
      case .onRejected: promise.onRejected(on: context) { _ in }
      case .onSettled: promise.onSettled(on: context) { _ in }
      }
      return nil
    }

    /// An owner that does nothing but hold the promise.
    private func keep(_ promise: Promise<Int>) -> Deferred<Int> {
      let deferred = Deferred<Int>()
      deferred.onCancel { _ in withExtendedLifetime(promise) {} }
      return deferred
    }
  }

  @Test("rules 4.0 4.6: whoever else wants an ancestor stops the abandon there", arguments: Consumer.allCases)
  func stopsAtConsumer(_ consumer: Consumer) {
    let source = owner()
    let middle = link(source.promise)
    let kept = consumer.attach(to: middle, on: context)
    let (above, below) = (link(middle), link(link(middle)))
    below.abandon()
    above.abandon()
    #expect(areCancelled([above, below]))
    #expect(middle.isPending && source.promise.isPending)
    #expect(log.entries == [])
    source.fulfill(1)
    context.runUntilIdle()
    #expect(middle.seen == .fulfilled(1))
    withExtendedLifetime(kept) {}
  }

  @Test("rules 4.0 4.6: the abandoned promise itself is cancelled, whoever wants it", arguments: Consumer.allCases)
  func consumersOfItself(_ consumer: Consumer) {
    let source = owner()
    let promise = link(source.promise)
    let kept = consumer.attach(to: promise, on: context)
    promise.abandon()
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
    if isAbandoned { held[1].abandon() } else { held[1].cancel() }
    #expect(middle.isPending)
    below.abandon()
    #expect(areCancelled([middle, source.promise]))
  }

  @Test("rule 4.6: cancel of the last consumer leaves the source pending, abandon of another then takes it along")
  func cancelThenAbandon() {
    let source = owner()
    link(source.promise).cancel()
    #expect(source.promise.isPending && log.entries == [])
    link(source.promise).abandon()
    #expect(areCancelled([source.promise]) && log.entries == [.cancellation])
  }

  @Test("rule 4.6: over a diamond abandon reaches the top, one arm after the other", arguments: [1, 4])
  func diamond(length: Int) {
    let source = owner()
    let arms = (0..<2).map { _ in (0..<length).reduce(source.promise) { promise, _ in link(promise) } }
    let bottom = owner()
    for arm in arms { bottom.follow(arm) }
    link(bottom.promise).abandon()
    #expect(areCancelled(arms + [bottom.promise, source.promise]))
    #expect(log.entries == [.cancellation, .cancellation])
  }

  @Test("rule 4.6: a diamond with another consumer on one arm keeps the top and that arm", arguments: [0, 1])
  func diamondWithConsumer(arm: Int) {
    let source = owner()
    let arms = [link(source.promise), link(source.promise)]
    let bottom = owner()
    for arm in arms { bottom.follow(arm) }
    let other = link(arms[arm])
    bottom.promise.abandon()
    #expect(areCancelled([arms[1 - arm], bottom.promise]))
    #expect(arms[arm].isPending && source.promise.isPending && other.isPending)
    other.abandon()
    #expect(areCancelled([arms[arm], source.promise]))
  }

  @Test("rules 4.4 4.6: abandon travels through an adopted promise to what that was made from")
  func throughAdopted() {
    let (source, inner) = (owner(), owner())
    let adopted = link(link(inner.promise))
    let adopter = source.promise.then(on: context) { _ in adopted }
    source.fulfill(1)
    context.step()
    link(adopter).abandon()
    #expect(areCancelled([adopter, adopted, inner.promise]))
    #expect(source.promise.seen == .fulfilled(1))
    #expect(log.entries == [.cancellation])
  }

  @Test("rule 4.6: a handler that is running when its promise is abandoned: what it returns is abandoned, too")
  func returnedLater() {
    let inner = owner()
    let adopted = link(inner.promise)
    let slot = Log<Promise<Int>>()
    let adopter = Promise.fulfilled(1).then(on: context) { _ in
      slot.entries[0].abandon()
      return adopted
    }
    slot.append(adopter)
    context.step()
    #expect(areCancelled([adopter, adopted]))
  }

  @Test("rules 4.6 4.10: abandon stops at a shielded promise, which it cancels")
  func stopsAtShielded() {
    let source = owner()
    let shielded = source.promise.shielded()
    let below = link(link(shielded))
    below.abandon()
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
    left.abandon()
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
    promise.abandon()
    #expect(areCancelled([below]))
    #expect(promise.seen == .fulfilled(1) && beside.isPending && log.entries == [])
  }

  @Test("rules 4.3 4.6: what was recovered from a cancelled promise is abandoned as any other")
  func afterRecover() {
    let source = owner()
    source.promise.cancel()
    let recovered = source.promise.recover(on: context) { _ in 2 }
    let below = link(recovered)
    below.abandon()
    #expect(areCancelled([recovered, below]))
    context.runUntilIdle()
    #expect(areCancelled([recovered, below]) && log.entries == [.cancellation])
    let again = source.promise.recover(on: context) { _ in 2 }
    context.runUntilIdle()
    #expect(again.seen == .fulfilled(2))
  }

  @Test("rules 4.1 4.6: a second abandon, or a cancel after it, changes nothing")
  func secondAbandon() {
    let source = owner()
    let below = link(link(source.promise))
    below.abandon()
    below.abandon()
    below.cancel(reason: TestError(9))
    source.promise.cancel(reason: TestError(9))
    #expect(areCancelled([below, source.promise]) && log.entries == [.cancellation])
  }
}
