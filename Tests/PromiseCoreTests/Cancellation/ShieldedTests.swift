import PromiseCore
import TestSupport
import Testing

@Suite("Shielded promises")
struct ShieldedTests {
  typealias Call = CancelTruthTable.Call

  let context = ManualContext()
  let log = Log<Failure>()

  private func owner() -> Deferred<Int> { .logging(to: log) }

  @Test(
    "rule 4.10: a shielded promise settles as the other does, without a hop, settled or not", arguments: [true, false],
    [Result.success(1), .failure(TestError(1)), .failure(CancellationError())] as [Result<Int, any Error>])
  func outcome(isSettledBefore: Bool, result: Result<Int, any Error>) {
    let source = owner()
    if isSettledBefore { source.settle(result) }
    let shielded = source.promise.shielded()
    source.settle(result)
    #expect(shielded.seen == Seen(result) && shielded.isCancelled == source.promise.isCancelled)
    #expect(context.count == 0)
  }

  @Test(
    "rule 4.10, row C8: to cancel it detaches only itself and what was made from it", arguments: Call.allCases,
    [true, false])
  func detaches(_ call: Call, cancelsBelow: Bool) {
    let source = owner()
    let shielded = source.promise.shielded()
    let other = source.promise.shielded()
    let below = shielded.map(on: context) { $0 }
    call.apply(to: cancelsBelow && call == .cancelUpstream ? below : shielded)
    for promise in [shielded, below] {
      #expect(promise.isCancelled && promise.failure == Failure(call.reason))
    }
    #expect(source.promise.isPending && other.isPending && log.entries == [])
    source.fulfill(1)
    context.runUntilIdle()
    #expect(other.seen == .fulfilled(1) && shielded.failure == Failure(call.reason))
  }

  @Test("rules 4.2 4.10: to cancel the work cancels what was shielded from it", arguments: Call.allCases)
  func fromAbove(_ call: Call) {
    let source = owner()
    let shielded = source.promise.shielded()
    let below = shielded.map(on: context) { $0 }
    call.apply(to: source.promise)
    for promise in [shielded, below] {
      #expect(promise.isCancelled && promise.failure == Failure(call.reason))
    }
    #expect(log.entries == [Failure(call.reason)])
  }

  @Test("rules 4.10 6.3, row C8: it shows no way to the work", arguments: [false, true])
  func hidesParent(isTwice: Bool) {
    let source = owner()
    let shielded = isTwice ? source.promise.shielded().shielded() : source.promise.shielded()
    let below = shielded.map(on: context) { $0 }
    #expect(shielded.parent == nil && shielded.root === shielded)
    #expect(below.parent === shielded && below.root === shielded)
    below.root.cancel()
    #expect(shielded.isCancelled && source.promise.isPending)
  }

  @Test("rules 4.0 4.10: as long as it is pending it wants the work, cancelled it does not")
  func isConsumer() {
    let source = owner()
    let shielded = source.promise.shielded()
    source.promise.map(on: context) { $0 }.cancel(upstream: true)
    #expect(source.promise.isPending)
    shielded.cancel()
    source.promise.map(on: context) { $0 }.cancel(upstream: true)
    #expect(source.promise.isCancelled)
  }

  @Test(
    "rules 4.4 4.10: who adopted a shielded promise cannot cancel the work through it", arguments: Adopting.allCases,
    Call.allCases)
  func adopted(_ way: Adopting, _ call: Call) {
    let source = owner()
    let shielded = source.promise.shielded()
    let adopter = way.adopt(shielded, on: context)
    call.apply(to: adopter.promise)
    #expect(shielded.isCancelled && shielded.failure == Failure(call.reason))
    #expect(source.promise.isPending && log.entries == [])
  }

  @Test("rules 4.10 6.2: a shielded promise breaks with the work")
  func breaks() {
    let shielded = Deferred<Int>(line: 5).promise.shielded()
    #expect(shielded.seen == .rejected(.broken(5)))
  }
}
