import TestSupport
import Testing

@Suite("Hooks that say when work has stopped", .leavingNothing, .rule("4.5", "2.11")) struct AwaitedHookTests {
  private let source = Deferred<Int>()
  private let stopped = Deferred<Void>()
  private let log = Log<String>()

  @Test("A cancelled link whose handler has run finishes with the hook above it, among many later links", .rule("2.11"))
  func linkAmongMany() {
    let stopped = Deferred<Void>()
    let owner = Deferred<Int>()
    let context = ManualContext()
    owner.onCancelThen { _ in stopped.promise }
    let link = owner.promise.always(on: context) { _ in }
    link.cancel(upstream: true)
    context.runUntilIdle()
    // So many that the promise looks for links which nothing needs any more.
    for _ in 0..<100 { _ = owner.promise.map(on: context) { $0 } }
    context.runUntilIdle()
    #expect(!link.isFinished)
    stopped.fulfill()
    #expect(link.isFinished)
  }

  @Test("A cancelled promise has finished when the promise of the hook has", arguments: CancelForm.allCases)
  func cancelled(_ form: CancelForm) {
    let reasons = Log<Bool>()
    source.onCancelThen { [stopped] reason in reasons.append(reason is CancellationError, returning: stopped.promise) }
    form.apply(to: source.promise)
    #expect(reasons.entries == [true])
    #expect(source.promise.isCancelled)
    #expect(!source.promise.isFinished)
    stopped.fulfill()
    #expect(source.promise.isFinished)
  }

  @Test("The hook for a cancellation does not run after another settlement", arguments: Settlement.allCases)
  func settled(_ settlement: Settlement) {
    source.onCancelThen { [stopped, log] _ in log.append("hook", returning: stopped.promise) }
    source.settle(settlement.result)
    #expect(log.entries.isEmpty)
    #expect(source.promise.isFinished)
  }

  @Test("The hook for the end runs whatever settles the promise, and is waited for", arguments: Settlement.allCases)
  func ended(_ settlement: Settlement) {
    let context = ManualContext()
    source.onEndThen(on: context) { [stopped, log] result in
      log.append("\((try? result.get()) ?? -1)", returning: stopped.promise)
    }
    let link = source.promise.asVoid()
    source.settle(settlement.result)
    #expect(!source.promise.isFinished)
    #expect(!link.isFinished)
    context.runUntilIdle()
    #expect(log.entries == ["\((try? settlement.result.get()) ?? -1)"])
    #expect(!source.promise.isFinished)
    stopped.fulfill()
    #expect(source.promise.isFinished)
    #expect(link.isFinished)
  }

  @Test("After a cancellation, a promise waits for both kinds of hooks, in either order", arguments: [false, true])
  func bothKinds(cancelHookEndsFirst: Bool) {
    let ends = Deferred<Void>()
    source.onEndThen { _ in ends.promise }
    source.onCancelThen { [stopped] _ in stopped.promise }
    source.promise.cancel()
    for owner in cancelHookEndsFirst ? [stopped, ends] : [ends, stopped] {
      #expect(!source.promise.isFinished)
      owner.fulfill()
    }
    #expect(source.promise.isFinished)
  }

  @Test("The work has stopped although the promise of the hook is rejected")
  func failed() {
    source.onCancelThen { [stopped] _ in stopped.promise }
    source.promise.cancel()
    stopped.reject(TestError(1))
    #expect(source.promise.isFinished)
    #expect(stopped.promise.error is TestError)
  }

  @Test("The promise of the hook is waited for until it has finished itself")
  func nested() {
    let inner = Deferred<Void>()
    stopped.onCancelThen { _ in inner.promise }
    source.onCancelThen { [stopped] _ in stopped.promise }
    source.promise.cancel()
    stopped.promise.cancel()
    #expect(!source.promise.isFinished)
    inner.fulfill()
    #expect(source.promise.isFinished)
  }

  @Test("A hook that is registered after the settlement runs, and is not waited for", arguments: [false, true])
  func late(isForEnd: Bool) {
    source.promise.cancel()
    if isForEnd {
      source.onEndThen { [stopped, log] _ in log.append("hook", returning: stopped.promise) }
    } else {
      source.onCancelThen { [stopped, log] _ in log.append("hook", returning: stopped.promise) }
    }
    #expect(log.entries == ["hook"])
    #expect(source.promise.isFinished)
  }

  @Test("An owner's limit waits for the hook, too", .rule("4.6"))
  func limit() {
    source.onCancelThen { [stopped] _ in stopped.promise }
    source.ownedPromise.timeOutAsOwner(because: .timedOut(createdAt: CreationSite()))
    #expect(source.promise.isRejected)
    #expect(!source.promise.isFinished)
    stopped.fulfill()
    #expect(eventuallyFinished(source.promise))
  }

  private func eventuallyFinished(_ promise: Promise<Int>) -> Bool {
    let gate = Gate()
    promise.whenFinished { gate.open() }
    gate.wait()
    return promise.isFinished
  }

  @Test("A context that drops the hook does not keep the promise from finishing", .rule("6.2"))
  func dropped() {
    source.onCancelThen(on: DroppingContext()) { [stopped, log] _ in log.append("hook", returning: stopped.promise) }
    source.promise.cancel()
    stopped.fulfill()
    #expect(eventuallyFinished(source.promise))
    #expect(log.entries == ["hook"])
  }

  @Test("An async hook is waited for until it has returned", arguments: [false, true])
  func asyncHook(isForEnd: Bool) throws {
    try TestWorld.run { world in
      let source = Deferred<Int>()
      let body = StubbornBody()
      if isForEnd {
        source.asyncOnEnd { _ in _ = await body() }
        source.reject(TestError(1))
        _ = source.promise.error
      } else {
        source.asyncOnCancel { _ in _ = await body() }
        source.promise.cancel()
      }
      world.runUntilIdle()
      #expect(!source.promise.isFinished)
      body.end()
      world.runUntilIdle()
      #expect(source.promise.isFinished)
    }
  }
}
