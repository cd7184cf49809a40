import PromiseCore
import TestSupport
import Testing

/// Behaviour that all links and observers have in common.
@Suite("Links and observers of all kinds")
struct LinkTests {
  @Test(
    "A handler runs once, after the settling call, and its result settles the derived promise", .rule("2.1", "2.3"),
    arguments: LinkKind.allCases, Settlement.allCases)
  func returning(_ kind: LinkKind, _ settlement: Settlement) {
    let context = ManualContext()
    let log = Log<Int>()
    let deferred = Deferred<Int>()
    let derived = kind.attach(to: deferred.promise, on: context, giving: 2) { log.append(1) }
    #expect(derived.isPending)
    #expect(context.count == 0)

    deferred.settle(settlement.result)
    #expect(log.entries.isEmpty)

    context.runUntilIdle()
    #expect(log.entries.count == (settlement.runsHandler(of: kind) ? 1 : 0))
    #expect(derived.seen == kind.expected(after: settlement, giving: 2, throwing: nil))
    #expect(deferred.promise.seen == settlement.seen)
  }

  @Test(
    "A handler that throws rejects the derived promise, never the source", .rule("2.3"),
    arguments: LinkKind.allCases, Settlement.allCases)
  func throwing(_ kind: LinkKind, _ settlement: Settlement) {
    let context = ManualContext()
    let deferred = Deferred<Int>()
    let derived = kind.attach(to: deferred.promise, on: context, giving: 2) { throw TestError(9) }
    deferred.settle(settlement.result)
    context.runUntilIdle()
    #expect(derived.seen == kind.expected(after: settlement, giving: 2, throwing: TestError(9)))
    #expect(deferred.promise.seen == settlement.seen)
  }

  @Test(
    "A handler attached to a settled promise runs once, later, on its context", .rule("2.1"),
    arguments: LinkKind.allCases, Settlement.allCases)
  func attachedLate(_ kind: LinkKind, _ settlement: Settlement) {
    let context = ManualContext()
    let log = Log<Bool?>()
    let deferred = Deferred<Int>()
    deferred.settle(settlement.result)
    let derived = kind.attach(to: deferred.promise, on: context, giving: 2) { log.append(context.isCurrent) }
    #expect(log.entries.isEmpty)
    #expect(context.count == (settlement.runsHandler(of: kind) ? 1 : 0))
    context.runUntilIdle()
    #expect(log.entries == (settlement.runsHandler(of: kind) ? [true] : []))
    #expect(derived.seen == kind.expected(after: settlement, giving: 2, throwing: nil))
  }

  @Test(
    "An outcome without a matching handler passes through a link without a hop", .rule("2.3"),
    arguments: LinkKind.links, Settlement.allCases)
  func passingThrough(_ kind: LinkKind, _ settlement: Settlement) {
    guard !settlement.runsHandler(of: kind) else { return }
    let context = ManualContext()
    let deferred = Deferred<Int>()
    let early = kind.attach(to: deferred.promise, on: context, giving: 2) {}
    let second = kind.attach(to: early, on: context, giving: 2) {}
    deferred.settle(settlement.result)
    let late = kind.attach(to: deferred.promise, on: context, giving: 2) {}
    #expect(context.count == 0)
    for promise in [early, second, late] { #expect(promise.seen == settlement.seen) }
  }

  @Test(
    "A derived promise is pending while its handler runs, and settled when the job has run", .rule("2.4"),
    arguments: LinkKind.links, Settlement.allCases)
  func settlesAfterHandler(_ kind: LinkKind, _ settlement: Settlement) {
    guard settlement.runsHandler(of: kind) else { return }
    let context = ManualContext()
    let log = Log<Bool>()
    let derived = Locked<Promise<Int>?>(nil)
    let deferred = Deferred<Int>()
    let promise = kind.attach(to: deferred.promise, on: context, giving: 2) {
      log.append(derived.withLock { $0?.isPending } ?? false)
    }
    derived.withLock { $0 = promise }
    deferred.settle(settlement.result)
    #expect(promise.isPending)
    context.step()
    #expect(log.entries == [true])
    #expect(!promise.isPending)
  }

  @Test("Observers return the same promise", arguments: LinkKind.observers)
  func observersReturnSelf(_ kind: LinkKind) {
    let deferred = Deferred<Int>()
    #expect(kind.attach(to: deferred.promise, on: ManualContext(), giving: 2) {} === deferred.promise)
  }

  @Test("Links derive a new promise", arguments: LinkKind.links)
  func linksDerive(_ kind: LinkKind) {
    let deferred = Deferred<Int>()
    #expect(kind.attach(to: deferred.promise, on: ManualContext(), giving: 2) {} !== deferred.promise)
  }

  @Test(
    "A handler that attaches to its own promise is not re-entered, and the attached handler runs later", .rule("2.1"),
    arguments: LinkKind.allCases, Settlement.allCases)
  func attachingInsideHandler(_ kind: LinkKind, _ settlement: Settlement) {
    guard settlement.runsHandler(of: kind) else { return }
    let context = ManualContext()
    let log = Log<String>()
    let deferred = Deferred<Int>()
    let promise = deferred.promise
    _ = kind.attach(to: promise, on: context, giving: 2) {
      log.append("begin")
      promise.onSettled(on: context) { _ in log.append("attached inside") }
      log.append("end")
    }
    deferred.settle(settlement.result)
    context.runUntilIdle()
    #expect(log.entries == ["begin", "end", "attached inside"])
  }
}
