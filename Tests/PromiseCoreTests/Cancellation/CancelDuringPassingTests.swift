import Dispatch
import TestSupport
import Testing

/// A cancellation that comes while an outcome is passed down a chain. The `deinit` of an object that a skipped handler
/// has captured makes the call, between the settlements of two promises of the chain.
@Suite("Cancellation while an outcome is passed on") struct CancelDuringPassingTests {
  private let context = ManualContext()
  private let later = ManualContext()
  private let inner = Deferred<Int>()
  private let ran = Log<Int>()

  @Test("A cancel overtakes an outcome on its way to a promise", .rule("4.2", "4.3"), arguments: 1...4, [true, false])
  func passing(depth: Int, recovers: Bool) {
    let deferred = Deferred<Int>()
    var last = deferred.promise
    for index in 1...depth {
      let probe = AtEnd { [promise = deferred.promise] in if index == depth { promise.cancel() } }
      last = last.catch(on: context) { _ in withExtendedLifetime(probe) {} }
    }
    let below = last.map(on: context) { ran.append($0) }
    let further = recovers ? below.recover(on: context) { _ in } : below
    deferred.fulfill(1)
    context.runUntilIdle()
    #expect(deferred.promise.isFulfilled)
    #expect(below.isCancelled)
    #expect(further.isCancelled)
    #expect(ran.entries == [])
  }

  /// The ways in which a promise adopts another.
  enum Adopting: CaseIterable, Sendable {
    case then, thenBoth, rescue, follow

    /// Returns a promise that waits for `inner`.
    func adopt(_ inner: Promise<Int>, on context: ManualContext) -> Promise<Int> {
      defer { context.runUntilIdle() }
      switch self {
      case .then: return Promise.fulfilled(1).then(on: context) { _ in inner }
      case .thenBoth: return Promise.fulfilled(1).then(on: context, fulfilled: { _ in inner }, rejected: { _ in inner })
      case .rescue: return Promise<Int>.rejected(TestError(1)).rescue(on: context) { _ in inner }
      case .follow:
        let owner = Deferred<Int>()
        owner.follow(inner)
        return owner.promise
      }
    }
  }

  @Test("Adopters receive an outcome even if a cancel overtakes it", .rule("4.0", "4.2"), arguments: Adopting.allCases)
  func forwarding(_ way: Adopting) {
    let adopter = way.adopt(inner.promise, on: context)
    let below = adopter.map(on: context) { ran.append($0) }
    let probe = Locked<AtEnd?>(AtEnd { [promise = inner.promise] in promise.cancel() })
    inner.promise.catch(on: context) { [probe = probe.withLock { $0.take() }] _ in withExtendedLifetime(probe) {} }
    inner.fulfill(1)
    context.runUntilIdle()
    #expect(inner.promise.isFulfilled)
    #expect(adopter.isFulfilled)
    #expect(below.isFulfilled)
    #expect(ran.entries == [1])
  }

  @Test("Links of a follower being settled survive a cancellation of the followed promise", .rule("4.0", "4.2"))
  func settledByOwner() {
    let owner = Deferred<Int>()
    let followed = Deferred<Int>()
    owner.follow(followed.promise)
    let below = owner.promise.map(on: context) { $0 }
    // The observer of progress runs when the promise is settled and its entries have not been fired yet.
    owner.promise.onProgress(on: CallingContext { [promise = followed.promise] in promise.cancel() }) { _ in }
    owner.fulfill(1)
    #expect(followed.promise.isCancelled)
    #expect(owner.promise.isFulfilled)
    #expect(below.isPending)
    let later = owner.promise.map(on: context) { $0 }
    followed.promise.cancel()
    context.runUntilIdle()
    #expect(below.isFulfilled)
    #expect(later.isFulfilled)
  }

  @Test("An adopter with two retained ancestors cancels its links if it is cancelled while being settled", .rule("4.3"))
  func adopterItself() {
    let source = Promise.fulfilled(0)
    let adopter = source.then(on: context) { _ in inner.promise }
    context.step()
    let probe = Locked<AtEnd?>(AtEnd { adopter.cancel() })
    let caught = adopter.catch(on: context) { [probe = probe.withLock { $0.take() }] _ in
      withExtendedLifetime(probe) {}
    }
    let below = caught.map(on: context) { ran.append($0) }
    let beside = adopter.map(on: context) { ran.append($0) }
    // Settles the promise on another thread, so that the test reports a hang of the cancellation.
    let settled = Gate()
    DispatchQueue(label: "settling").async { [context] in
      inner.fulfill(1)
      context.runUntilIdle()
      settled.open()
    }
    settled.wait("end of the settling")
    #expect(adopter.isFulfilled)
    #expect(below.isCancelled)
    #expect(beside.isCancelled)
    #expect(ran.entries == [])
    withExtendedLifetime((source, inner)) {}
  }

  @Test("A link attached before a cancel is rejected with its reason, even while the outcome passes", .rule("4.3"))
  func attachedBefore() {
    let deferred = Deferred<Int>()
    let attached = Log<Promise<Int>>()
    let probe = AtEnd { [context, promise = deferred.promise] in
      attached.append(promise.catch(on: context) { _ in })
      promise.cancel(reason: TestError(4))
    }
    deferred.promise.catch(on: context) { [probe = consume probe] _ in withExtendedLifetime(probe) {} }
    deferred.fulfill(1)
    #expect(attached.entries.map(\.isCancelled) == [true])
    #expect(throws: TestError(4)) { try attached.entries[0].result?.get() }
  }

  /// Returns a promise that is two links below an unretained promise. Calls `body` when the outcome is about to be
  /// passed to the promise between them.
  private func passing(
    _ body: @escaping @Sendable (_ unheld: Promise<Int>, _ between: Promise<Int>) -> Void
  ) -> Promise<Int> {
    let slot = Log<Promise<Int>>()
    func build() -> Promise<Int> {
      let unheld = Promise.fulfilled(1).map(on: context) { $0 }
      // The promise between is about to be settled. Its `parent` is nil by then.
      let probe = AtEnd { [weak unheld] in
        guard let unheld, let between = slot.entries.first?.parent as? Promise<Int> else { return }
        body(unheld, between)
      }
      return unheld.catch(on: context) { [probe = consume probe] _ in withExtendedLifetime(probe) {} }
        .map(on: later) { $0 }
    }
    let below = build()
    slot.append(below)
    context.runUntilIdle()
    return below
  }

  @Test("Cancelling an unretained promise from below overtakes an outcome on its way to a promise", .rule("4.2", "4.3"))
  func fromUnheld() {
    let asked = Log<Bool>()
    let below = passing { unheld, _ in
      // This context is called when the outcome has been passed on and the promise that receives it is not published
      // yet.
      let cancelling = CallingContext { [weak unheld] in
        asked.append(unheld != nil)
        unheld?.cancel()
      }
      unheld.onFulfilled(on: cancelling) { _ in }
    }
    #expect(below.isCancelled)
    #expect(asked.entries == [true])
  }

  @Test("Another cancellation reaches a link attached below a cancelled, unretained promise", .rule("4.2", "4.3"))
  func attachedBelowUnheld() throws {
    let seen = Log<Promise<Int>>()
    let below = passing { unheld, between in
      seen.append(unheld)
      seen.append(between)
      unheld.cancel()
    }
    try #require(seen.entries.map(\.isFulfilled) == [true, true] && below.isCancelled)
    let attached = seen.entries[1].map(on: later) { $0 }
    seen.entries[0].cancel()
    #expect(attached.isCancelled)
  }

  /// The ways in which the link that would have settled a promise ends.
  enum Ending: CaseIterable, Sendable { case handlerReturns, handlerReturnsPromise, jobIsDropped, adoptedIsSettled }

  @Test("A cancelled promise stays below its source if its link ends", .rule("4.0", "4.2"), arguments: Ending.allCases)
  func ends(_ ending: Ending) {
    let source = Promise.fulfilled(1)
    let context = context
    let later = ManualContext()
    let child =
      ending == .handlerReturns
      ? source.map(on: context) { $0 } : source.then(on: context) { [promise = inner.promise] _ in promise }
    if ending == .adoptedIsSettled { context.step() }
    let probe = AtEnd {
      switch ending {
      case .handlerReturns, .handlerReturnsPromise: context.step()
      case .jobIsDropped: context.dropAll()
      case .adoptedIsSettled: inner.fulfill(1)
      }
    }
    // The cancellation releases this observer after it has settled the promise, and before `cancel` returns.
    child.onProgress(on: later) { [probe = consume probe] _ in withExtendedLifetime(probe) {} }
    later.runUntilIdle()
    child.cancel()
    #expect(context.count == 0)
    let below = child.recover(on: later) { _ in 0 }
    source.cancel()
    #expect(child.isCancelled)
    #expect(below.isCancelled)
  }
}
