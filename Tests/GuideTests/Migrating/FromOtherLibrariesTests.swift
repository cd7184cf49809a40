import PromiseCombinators
import PromiseWaiting
import TestSupport
import Testing

// Contains each code span of the right columns of Docs/Migrating/FromOtherLibraries.md. `Scripts/check-snippets.py`
// compares them.

private func clients(_ promise: Promise<Int>, _ other: Promise<Int>, _ label: Label, _ bag: CancelBag) {
  promise.bound(to: bag)
  promise.cancel(upstream: true)
  promise.cancel()
  other.cancel(upstream: true)
  promise.map { $0 }.cancel(upstream: true)
  _ = promise.map(on: .main) { label.show($0) }
  promise.tap(on: .main) { label.text = "\($0)" }
  promise.catch(only: Refused.self) { print($0) }
  promise.catch { print($0) }
  promise.catchFailure { print($0) }
  promise.onRejected { print($0) }
  promise.onFailed { print($0) }
  promise.always { print($0) }
  _ = promise.map { try work() + $0 }
  _ = promise.map { $0 + 1 }
  _ = promise.then { load($0) }
  promise.tapThen { load($0) }
  _ = promise.mapError { _ in Refused() }
  _ = promise.recover { _ in 0 }
  _ = promise.rescue { _ in load(0) }
  _ = promise.validate(error: Refused()) { $0 > 0 }
  _ = promise.asResult()
  _ = promise.isCancelled
  _ = promise.whenFinished()
  _ = bag.whenFinished()
}

private func several(_ promise: Promise<Int>, _ other: Promise<Int>) {
  _ = Promise.traverse([1, 2, 3], concurrency: 2) { load($0) }
  _ = Promise.race(promise, other)
  _ = Promise.any([promise, other])
  _ = Promise.all([promise, other], onRejection: .cancelRemaining)
  _ = Promise.retry(attempts: 3) { load(1) }
}

private func owners(_ deferred: Deferred<Int>, _ promise: Promise<Int>) {
  _ = Deferred<Int>()
  _ = deferred.promise
  deferred.onCancel { _ in stop() }
  promise.relay(to: deferred)
  _ = Promise<Int> { deferred in ask(deferred.resolve) }
  _ = LazyPromise<Int> { deferred in ask(deferred.resolve) }
  _ = LazyPromise.run { try work() }
  Diagnostics.onUnhandledRejection { print($0) }
}

private func waits(_ promise: Promise<Int>) async throws {
  _ = try await promise.value
}

private func blocks(_ promise: Promise<Int>) throws {
  _ = try promise.waitForValue(within: .seconds(5))
}

@Suite("The behaviour that the guide for other libraries states") struct FromOtherLibrariesTests {
  @Test("A client that releases its promise cancels nothing", .rule("6.1"))
  func released() throws {
    try TestWorld.run { world in
      let owner = Deferred<Int>()
      let seen = Log<Int>()
      owner.promise.map { $0 + 1 }.onFulfilled { seen.append($0) }
      world.runUntilIdle()
      owner.fulfill(1)
      world.runUntilIdle()
      #expect(seen.entries == [2])
    }
  }

  @Test("A client gives its own branch up, and the others go on", .rule("4.4"))
  func branch() throws {
    try TestWorld.run { world in
      let owner = Deferred<Int>()
      let staying = owner.promise.map { $0 + 1 }
      owner.promise.map { $0 }.cancel(upstream: true)
      #expect(owner.promise.isPending)
      owner.fulfill(1)
      try #expect(world.run(until: staying) == 2)
    }
  }
}
