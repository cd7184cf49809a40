import PromiseCore
import TestSupport
import Testing

@Suite("Cancelling a tree", .leavingNothing)
struct CancelTreeTests {
  private let context = ManualContext()
  private let reason = TestError(7)

  private func isCancelled(_ promise: AnyPromise) -> Bool { promise.isCancelled && promise.isRejected }

  @Test("Cancelling reaches pending promises below settled promises", .rule("4.2"), arguments: [false, true])
  func throughSettled(keepsMiddle: Bool) {
    let deferred = Deferred<Int>()
    let top = deferred.promise
    var middle: Promise<Int>? = top.map(on: context) { $0 }
    let first = middle!.map(on: context) { $0 }
    let second = middle!.map(on: context) { $0 }
    let below = second.map(on: context) { $0 }
    if !keepsMiddle { middle = nil }
    deferred.fulfill(1)
    context.step()
    #expect(first.isPending && second.isPending)
    top.cancel(reason: reason)
    #expect([first, second, below].allSatisfy(isCancelled))
    #expect(top.isFulfilled)
    #expect(middle?.isFulfilled != false)
  }

  @Test("Cancelling a settled promise spares the descendants of its siblings", .rule("4.2"))
  func sparesBeside() {
    let deferred = Deferred<Int>()
    let left = deferred.promise.map(on: context) { $0 }
    let right = deferred.promise.map(on: context) { $0 }
    let belowLeft = left.map(on: context) { $0 }
    let belowRight = right.map(on: context) { $0 }
    deferred.fulfill(1)
    context.step()
    context.step()
    #expect(left.isFulfilled && right.isFulfilled)
    left.cancel(reason: reason)
    #expect(isCancelled(belowLeft) && belowRight.isPending)
    deferred.promise.cancel(reason: reason)
    #expect(isCancelled(belowRight))
  }

  @Test("always runs once with the reason, and catch runs only if its source is rejected", .rule("2.5"))
  func runsAlways() {
    let log = Log<String>()
    let source = Deferred<Int>()
    let always = source.promise.always(on: context) { log.append(Seen($0) == .failed(7) ? "always" : "wrong") }
    let caught = source.promise.catch(on: context) { _ in log.append("catch") }
    always.cancel(reason: reason)
    caught.cancel(reason: reason)
    context.runUntilIdle()
    #expect(log.entries == ["always"])
    source.reject(TestError(1))
    context.runUntilIdle()
    #expect(log.entries == ["always", "catch"])
  }

  @Test("100,000 cancelled links on one pending promise release their captures", .rule("4.9"), .slow)
  func prunesCancelledLinks() {
    let census = Tracked.Census()
    let source = Deferred<Int>()
    for _ in 0..<100_000 {
      source.promise.tap(on: context) { [tracked = Tracked(census)] _ in _ = tracked }.cancel(reason: reason)
      #expect(census.living == 0)
    }
    source.fulfill(1)
    #expect(context.count == 0)
  }
}
