import PromiseCore
import TestSupport
import Testing

@Suite("Shielded promises")
struct ShieldedTests {
  typealias Call = CancelTruthTable.Call

  let context = ManualContext()
  let log = Log<Failure>()
  let source: Deferred<Int>

  init() { source = .logging(to: log) }

  @Test(
    "A shielded promise settles as its source does, without a hop", .rule("4.10"), arguments: [true, false],
    [Result.success(1), .failure(TestError(1)), .failure(CancellationError())] as [Result<Int, any Error>])
  func outcome(isSettledBefore: Bool, result: Result<Int, any Error>) {
    if isSettledBefore { source.settle(result) }
    let shielded = source.promise.shielded()
    source.settle(result)
    #expect(shielded.seen == Seen(result) && shielded.isCancelled == source.promise.isCancelled)
    #expect(context.count == 0)
  }

  @Test(
    "Cancelling a shielded promise affects only the promise itself and the links below it", .rule("4.10"),
    arguments: Call.allCases,
    [true, false])
  func detaches(_ call: Call, cancelsBelow: Bool) {
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

  @Test("A shielded promise has no parent and is its own root", .rule("4.10", "6.3"), arguments: [false, true])
  func hidesParent(isTwice: Bool) {
    let shielded = isTwice ? source.promise.shielded().shielded() : source.promise.shielded()
    let below = shielded.map(on: context) { $0 }
    #expect(shielded.parent == nil && shielded.root === shielded)
    #expect(below.parent === shielded && below.root === shielded)
    below.root.cancel()
    #expect(shielded.isCancelled && source.promise.isPending)
  }

  @Test("A shielded promise is a consumer of its source only while it is pending", .rule("4.0", "4.10"))
  func isConsumer() {
    let shielded = source.promise.shielded()
    source.promise.map(on: context) { $0 }.cancel(upstream: true)
    #expect(source.promise.isPending)
    shielded.cancel()
    source.promise.map(on: context) { $0 }.cancel(upstream: true)
    #expect(source.promise.isCancelled)
  }

  @Test(
    "An adopter of a shielded promise cannot cancel the source through it", .rule("4.4", "4.10"),
    arguments: Adopting.allCases,
    Call.allCases)
  func adopted(_ way: Adopting, _ call: Call) {
    let shielded = source.promise.shielded()
    let adopter = way.adopt(shielded, on: context)
    call.apply(to: adopter.promise)
    #expect(shielded.isCancelled && shielded.failure == Failure(call.reason))
    #expect(source.promise.isPending && log.entries == [])
  }

  @Test("A shield with two clients is cancelled when the second client gives up", .rule("4.4", "4.10"))
  func twoClients() {
    let shielded = source.promise.shielded()
    let clients = (0..<2).map { _ in shielded.map(on: context) { $0 } }
    clients[0].cancel(upstream: true)
    #expect(shielded.isPending && clients[1].isPending)
    clients[1].cancel(upstream: true)
    #expect(shielded.isCancelled && source.promise.isPending && log.entries == [])
  }

  @Test("A shielded promise is broken together with its source", .rule("4.10", "6.2"))
  func breaks() {
    let shielded = Deferred<Int>(line: 5).promise.shielded()
    #expect(shielded.seen == .rejected(.broken(5)))
  }
}
