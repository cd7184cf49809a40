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

  @Test("rule 5.2: a handler throws, or its job is dropped: what came before it was done", arguments: [false, true])
  func handler(isDropped: Bool) {
    let a = deferred.promise.map(on: context, weight: 1) { $0 }
    let b = a.map(on: context, weight: 1) { _ -> Int in throw TestError(1) }
    let c = b.map(on: context, weight: 1) { $0 }.catch(on: context) { _ in }.map(on: context, weight: 1) { $0 }
    let recovered = c.recover(on: context) { _ in 1 }
    deferred.fulfill(1)
    context.step()
    if isDropped { context.dropAll() } else { context.step() }
    #expect(a.progress == 1)
    #expect(b.progress == 2.0 / 3)
    context.runUntilIdle()
    #expect(c.progress == 0.4)
    #expect(recovered.progress == 1)
  }

  @Test("rule 5.2: what was done is remembered when a handler that starts later asks for hooks")
  func hookAfterRejection() {
    let failed = deferred.promise.map(on: context, weight: 1) { _ -> Int in throw TestError(1) }
    let cancelled = Locked<Promise<Int>?>(nil)
    // Scheduled first, it cancels the other when that is rejected but not started: its handler for errors runs all the same.
    failed.onRejected(on: CallingContext { cancelled.withLock { $0 }?.cancel() }) { _ in }
    let recovered = failed.asyncRecover { _ in 1 }
    cancelled.withLock { $0 = recovered }
    deferred.fulfill(1)
    context.runUntilIdle()
    #expect(recovered.isCancelled && recovered.progress == 0.5)
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

  @Test("rule 5.2: a promise that adopted another is cancelled, or an owner that follows rejects", arguments: 0..<3)
  func adopter(_ way: Int) {
    let owner = Deferred<Int>()
    let end = way == 0 ? deferred.promise.then(on: context) { [inner] _ in inner.promise } : owner.promise
    if way > 0 { owner.follow(inner.promise) }
    deferred.fulfill(1)
    context.runUntilIdle()
    inner.report(progress: 0.5)
    if way == 2 { owner.reject(TestError(1)) } else { end.cancel() }
    #expect(end.isRejected)
    #expect(end.progress == (way == 0 ? 0.75 : 0.5))
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

extension RejectedProgressTests {
  @Test("rule 5.2: of two promises that it follows the older is rejected, and the newer by the same call, afterwards")
  func newerOnItsWay() {
    let failing = deferred.promise.map(on: context, weight: 1) { _ -> Int in throw TestError(1) }
    // Attached first, it is claimed first; and published after all that its source settles.
    let newer = failing.map(on: context, weight: 2) { $0 }
    let owner = Deferred<Int>()
    owner.follow(failing)
    owner.follow(newer)
    deferred.fulfill(1)
    context.runUntilIdle()
    #expect(newer.progress == 0.25 && owner.promise.progress == 0.25)
  }
}
