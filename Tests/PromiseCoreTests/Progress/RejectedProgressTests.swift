import PromiseCore
import TestSupport
import Testing

@Suite("Progress: rejected promises stay where they were")
struct RejectedProgressTests {
  private let context = ManualContext()
  private let deferred = Deferred<Int>()
  private let inner = Deferred<Int>()

  private func reject(_ deferred: Deferred<Int>, byCancel: Bool) {
    if byCancel { deferred.promise.cancel() } else { deferred.reject(TestError(1)) }
  }

  @Test("rule 5.2: what was derived from it, though nobody had looked", arguments: [false, true])
  func derived(byCancel: Bool) {
    let a = deferred.promise.map(on: context, weight: 1) { $0 }
    let b = a.map(on: context, weight: 1) { $0 }.catch(on: context) { _ in }
    deferred.report(progress: 0.75)
    reject(deferred, byCancel: byCancel)
    context.runUntilIdle()
    #expect(a.progress == 0.375 && b.progress == 0.25)
    #expect(!a.isPending && !b.isPending)
    // What is derived later shows what was done too.
    #expect(b.map(on: context, weight: 1) { $0 }.progress == 0.1875)
  }

  @Test("rule 5.2: an adopted promise is rejected", arguments: [false, true])
  func adopted(byCancel: Bool) {
    let end = deferred.promise.then(on: context) { [inner] _ in inner.promise }
    let below = end.map(on: context, weight: 2) { $0 }
    deferred.fulfill(1)
    context.step()
    inner.report(progress: 0.5)
    reject(inner, byCancel: byCancel)
    #expect(end.isRejected && end.progress == 0.75)
    #expect(below.progress == 0.375)
  }

  @Test("rules 5.1 5.2: observers are shown nothing lower, and nothing after", arguments: [false, true])
  func observed(byCancel: Bool) {
    let log = Log<Double>()
    let shown = ManualContext()
    let end = deferred.promise.then(on: context) { [inner] _ in inner.promise }
    end.onProgress(on: shown) { log.append($0) }
    deferred.fulfill(1)
    context.runUntilIdle()
    inner.report(progress: 0.5)
    reject(inner, byCancel: byCancel)
    shown.runUntilIdle()
    #expect(log.entries == [0.75])
    end.onProgress(on: shown) { log.append($0) }
    shown.runUntilIdle()
    #expect(log.entries == [0.75, 0.75])
  }

  @Test("rule 5.2: cancelled far below what was done: what was read is kept")
  func cancelledFarBelow() {
    let chain = (0..<1_000).reduce(deferred.promise) { chain, _ in chain.tap(on: context) { _ in } }
    deferred.report(progress: 0.5)
    #expect(chain.progress == 0.5)
    chain.cancel()
    #expect(chain.progress == 0.5)
  }
}
