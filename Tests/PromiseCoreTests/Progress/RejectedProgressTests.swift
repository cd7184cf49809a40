import TestSupport
import Testing

@Suite("Progress of rejected promises") struct RejectedProgressTests {
  private let context = ManualContext()
  private let deferred = Deferred<Int>()
  private let inner = Deferred<Int>()

  private func reject(_ deferred: Deferred<Int>, byCancel: Bool) {
    if byCancel { deferred.promise.cancel() } else { deferred.reject(TestError(1)) }
  }

  @Test("A derived promise keeps unread progress when its source is rejected", .rule("5.2"), arguments: [false, true])
  func derived(byCancel: Bool) {
    let a = deferred.promise.map(on: context, weight: 1) { $0 }
    let b = a.map(on: context, weight: 1) { $0 }.catch(on: context) { _ in }
    deferred.report(progress: 0.75)
    reject(deferred, byCancel: byCancel)
    context.runUntilIdle()
    #expect(a.progress == 0.375)
    #expect(b.progress == 0.25)
    #expect(!a.isPending)
    #expect(!b.isPending)
    // A promise that is derived later shows the completed share as well.
    #expect(b.map(on: context, weight: 1) { $0 }.progress == 0.1875)
  }

  @Test("An adopter keeps its progress when the adopted promise is rejected", .rule("5.2"), arguments: [false, true])
  func adopted(byCancel: Bool) {
    let end = deferred.promise.then(on: context) { [inner] _ in inner.promise }
    let below = end.map(on: context, weight: 2) { $0 }
    deferred.fulfill(1)
    context.step()
    inner.report(progress: 0.5)
    reject(inner, byCancel: byCancel)
    #expect(end.isRejected)
    #expect(end.progress == 0.75)
    #expect(below.progress == 0.375)
  }

  @Test("A value that is in flight when the promise is rejected is shown once", .rule("5.2", "5.5"))
  func inFlight() {
    let log = Log<Double>()
    let shown = ManualContext()
    deferred.promise.onProgress(on: shown) { log.append($0) }
    deferred.report(progress: 0.5)
    deferred.reject(TestError(1))
    // The second delivery is the one that a cancellation of the rejected promise finds (rule 2.5).
    #expect(shown.count == 2)
    shown.runUntilIdle()
    #expect(log.entries == [0.5])
  }

  @Test(
    "An observer of a rejected promise is shown no lower value, and nothing after the last value", .rule("5.1", "5.2"),
    arguments: [false, true])
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

  @Test("A promise that is cancelled far below its source keeps the progress that was read", .rule("5.2"))
  func cancelledFarBelow() {
    let first = deferred.promise.map(on: context, weight: 1) { $0 }
    let chain = (0..<1_000).reduce(first) { chain, _ in chain.tap(on: context) { _ in } }
    deferred.report(progress: 0.5)
    #expect(chain.progress == 0.25)
    chain.cancel()
    #expect(chain.progress == 0.25)
  }
}
