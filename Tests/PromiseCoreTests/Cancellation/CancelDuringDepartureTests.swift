import TestSupport
import Testing

/// The source is cancelled while a promise is being settled otherwise. The promise has already left its source, and
/// some of its links have not received the outcome yet. An internal observer makes the call at that moment.
@Suite("Cancellation while a promise leaves its source") struct CancelDuringDepartureTests {
  private let context = ManualContext()

  /// Cancels a promise as soon as another promise settles, before the other observers and links of that promise run.
  private func cancel(_ promise: Promise<Int>, with settled: Promise<Int>) {
    _ = settled.attachObserver(on: nil, handling: [.value, .error]) { _, _ in
      promise.cancel()
      return .nothing
    }
  }

  /// Attaches a link below the promise. Its rejection handler runs although the source is cancelled (rule 2.5), but too
  /// late to recover.
  private func below(_ promise: Promise<Int>) -> Promise<Int> { promise.recover(on: context) { _ in 0 } }

  @discardableResult
  private func timeOut(_ promise: Promise<Int>) -> Bool {
    promise.timeOut(
      because: PromiseError.timedOut(createdAt: CreationSite(fileID: #fileID, line: #line)), givingUp: false)
  }

  @Test(
    "A promise that a handler returns too late for a time limit goes on, and is given up after a cancellation",
    .rule("4.4", "4.6"), arguments: [false, true])
  func returnedTooLate(isCancelled: Bool) {
    let inner = Deferred<Int>()
    let late = Locked<Promise<Int>?>(nil)
    let leaving = Promise.fulfilled(0).then(on: context) { [self] _ in
      let leaving = late.withLock(\.self)
      if isCancelled { leaving?.cancel() } else if let leaving { timeOut(leaving) }
      return inner.promise
    }
    late.withLock { $0 = leaving }
    context.runUntilIdle()
    #expect(leaving.isRejected)
    #expect(leaving.isCancelled == isCancelled)
    #expect(inner.promise.isCancelled == isCancelled)
    #expect(inner.promise.isPending != isCancelled)
    late.withLock { $0 = nil }
  }

  @Test("After a cancellation, the handler of an always is scheduled before those of the links behind it", .rule("2.5"))
  func alwaysFirst() {
    let log = Log<String>()
    let source = Deferred<Int>()
    let always = source.promise.always(on: context) { _ in log.append("always") }
    always.catch(on: context) { _ in log.append("catch") }
    always.cancel()
    context.runUntilIdle()
    #expect(log.entries == ["always", "catch"])
  }

  /// The ways in which a promise leaves its source without a cancellation.
  enum Departure: CaseIterable { case timeout, timeoutOfAdopter, ring, droppedHandler }

  @Test(
    "Cancelling the source reaches a link below a promise that is being rejected by a timeout, a ring or a context",
    .rule("3.2", "4.2", "4.3", "6.2"), arguments: Departure.allCases)
  func rejected(_ departure: Departure) {
    let source = Promise.fulfilled(0)
    let inner = Deferred<Int>()
    let dropping = ManualContext()
    let leaving =
      departure == .droppedHandler ? source.map(on: dropping) { $0 } : source.then(on: context) { _ in inner.promise }
    if departure == .timeoutOfAdopter { context.step() }
    cancel(source, with: leaving)
    let below = below(leaving)
    switch departure {
    case .timeout, .timeoutOfAdopter: #expect(timeOut(leaving))
    case .ring: inner.follow(leaving)
    case .droppedHandler: dropping.dropAll()
    }
    context.runUntilIdle()
    #expect(leaving.isRejected)
    #expect(!leaving.isCancelled)
    #expect(below.isCancelled)
  }

  @Test("A cancel reaches a promise whose handler is dropped while a sibling is rejected", .rule("4.2", "4.3", "6.2"))
  func droppedMeanwhile() {
    let source = Promise.fulfilled(0)
    let dropping = ManualContext()
    let other = ManualContext()
    let first = source.map(on: dropping) { $0 }
    let leaving = source.map(on: other) { $0 }
    _ = first.attachObserver(on: nil, handling: .error) { _, _ in
      other.dropAll()
      source.cancel()
      return .nothing
    }
    let below = below(leaving)
    dropping.dropAll()
    context.runUntilIdle()
    #expect(leaving.isCancelled)
    #expect(below.isCancelled)
  }

  @Test("Cancelling the source reaches a link attached while another call cancels the adopter", .rule("4.2", "4.3"))
  func cancelled() {
    let source = Promise.fulfilled(0)
    let inner = Deferred<Int>()
    let leaving = source.then(on: context) { _ in inner.promise }
    context.step()
    let attached = Log<Promise<Int>>()
    // This observer runs before the library fires the links of `leaving`.
    _ = inner.promise.attachObserver(on: nil, handling: .error) { [self] _, _ in
      attached.append(below(leaving))
      source.cancel()
      return .nothing
    }
    let first = below(leaving)
    inner.promise.cancel()
    context.runUntilIdle()
    #expect(leaving.isCancelled)
    #expect(first.isCancelled)
    #expect(attached.entries.map(\.isCancelled) == [true])
  }

  @Test("A link attached during a cancel is below the settled source", .rule("4.2", "4.3"), arguments: [true, false])
  func cancelledByName(hasAdopted: Bool) {
    let source = Promise.fulfilled(0)
    let inner = Deferred<Int>()
    let leaving = source.then(on: context) { _ in inner.promise }
    if hasAdopted { context.step() }
    let attached = Log<Promise<Int>>()
    _ = leaving.attachObserver(on: nil, handling: .error) { [self] _, _ in
      attached.append(below(leaving))
      source.cancel()
      return .nothing
    }
    leaving.cancel()
    context.runUntilIdle()
    #expect(leaving.isCancelled)
    #expect(attached.entries.map(\.isCancelled) == [true])
  }

  @Test("A link attached after a timeout is below the source, not below the adopted promise", .rule("4.0", "4.2"))
  func later() {
    let source = Promise.fulfilled(0)
    let inner = Deferred<Int>()
    let leaving = source.then(on: context) { _ in inner.promise }
    context.step()
    timeOut(leaving)
    let later = below(leaving)
    inner.promise.cancel()
    #expect(later.isPending)
    source.cancel()
    #expect(later.isCancelled)
  }

  // MARK: Settling a promise while its list of links is pruned

  /// Prunes the promise's list of links, and runs the body meanwhile. The pruning releases a dead link that holds the
  /// last reference to the reason.
  private func prune(_ promise: Promise<Int>, _ body: @escaping @Sendable () -> Void) {
    promise.map(on: context) { $0 }.cancel(reason: AtEnd(body))
    for _ in 0..<15 { promise.map(on: context) { $0 }.cancel() }
  }

  enum Ending: CaseIterable { case handled, adoptedFulfilled, adoptedFulfilledAndCancelled, timedOut, cancelled }

  @Test(
    "Cancelling the source reaches links below a promise that ends while its list is pruned",
    .rule("4.2", "4.3", "4.9"), arguments: Ending.allCases)
  func pruned(_ ending: Ending) {
    let source = Promise.fulfilled(0)
    let inner = Deferred<Int>()
    let later = ManualContext()
    let leaving = ending == .handled ? source.map(on: later) { $0 } : source.then(on: context) { _ in inner.promise }
    context.step()
    let below = Log<Promise<Int>>()
    let isSettled = Log<Bool>()
    if ending != .cancelled { below.append(self.below(leaving).map(on: context) { $0 }) }
    prune(leaving) { [self] in
      switch ending {
      case .handled: later.step()
      case .adoptedFulfilled, .adoptedFulfilledAndCancelled: inner.fulfill(0)
      case .timedOut: timeOut(leaving)
      case .cancelled:
        inner.promise.cancel()
        below.append(self.below(leaving))
      }
      isSettled.append(!leaving.isPending)
      if ending == .adoptedFulfilledAndCancelled { inner.promise.cancel() } else { source.cancel() }
    }
    context.runUntilIdle()
    // A promise that has adopted another is not below that promise (rule 4.0).
    #expect(isSettled.entries == [true])
    #expect(below.entries.map(\.isCancelled) == [ending != .adoptedFulfilledAndCancelled])
  }
}
