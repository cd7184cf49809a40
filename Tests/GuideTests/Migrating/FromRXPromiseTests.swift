import Dispatch
import Foundation
import PromiseCombinators
import PromiseFoundation
import TestSupport
import Testing

// Contains the example of Docs/Migrating/FromRXPromise.md and each code span of its right columns. `Scripts/check-snippets.py`
// compares them.

private func calls(
  _ deferred: Deferred<Int>, _ queue: DispatchQueue, _ error: any Error, _ promise: Promise<Int>, _ label: Label,
  _ other: Promise<Int>, _ world: TestWorld, _ timers: any TimerContext, _ operations: OperationQueue
) throws {
  _ = Promise.fulfilled(42)
  _ = Promise<Int>.rejected(error)
  _ = Promise.run { try work() }
  _ = Promise.run(on: queue) { try work() }
  _ = Deferred<Int>(cancelsWithoutClients: true)
  deferred.onCancel { _ in stop() }
  deferred.onEnd { _ in stop() }

  _ = promise.then { load($0) }
  promise.catch { log($0) }
  _ = promise.recover { _ in 0 }
  _ = promise.rescue { _ in load(0) }
  _ = promise.map { $0 + 1 }
  _ = promise.map(fulfilled: { $0 + 1 }, rejected: { _ in 0 })
  _ = promise.then(fulfilled: { load($0) }, rejected: { _ in load(0) })
  _ = promise.map(on: queue) { $0 + 1 }
  _ = promise.map(on: .main) { label.show($0) }

  let first = Promise.any([promise, other])
  let _: Promise<[Result<Int, any Error>]> = Promise.allSettled([promise, other])
  _ = Promise.forEach([1, 2, 3]) { load($0) }
  _ = Promise.repeat { queueIsEmpty() ? nil : load(1) }
  _ = Promise.forEach(0..<3) { load($0) }
  _ = Promise.traverse([1, 2, 3], concurrency: 1) { load($0) }
  _ = Promise.traverse([1, 2, 3], concurrency: 2) { load($0) }
  other.cancel()
  first.cancel(upstream: true)

  promise.cancel(reason: error)
  promise.cancel(upstream: true)
  promise.root.cancel()
  _ = try promise.waitForValue(within: .seconds(5))
  _ = try world.run(until: promise)

  timers.schedule(after: .seconds(1)) { stop() }
  Diagnostics.onUnhandledRejection { print($0) }

  _ = Promise.all([promise, other])
  _ = promise.timeout(.seconds(5), cancelsSource: false)
  _ = Promise.any([promise, other], cancelsLosers: true)
  _ = promise.map { _ in throw Refused() }.asVoid()
  _ = (PromiseError.noneFulfilled, PromiseError.emptyInput)

  let thread = ThreadContext.current
  _ = promise.map(on: operations) { $0 + 1 }
  _ = promise.map(on: thread) { $0 + 1 }
}

private func settling(_ deferred: Deferred<Int>, _ promise: Promise<Int>, _ error: any Error) {
  deferred.settle(.success(1))
  deferred.follow(promise)
  deferred.timeout(.seconds(5))
  _ = promise.timeout(.seconds(5))
  func fails(with error: some Error) { deferred.reject(error) }
}

private func awaiting(_ promise: Promise<Int>) async throws -> Int { try await promise.value }

@Suite("The migration guide from RXPromise") struct FromRXPromiseTests {
  @Test("A settlement is visible when the call returns, and ends parent and root of the links", .rule("1.3", "6.3"))
  func rootAfterSettlement() throws {
    try TestWorld.run(checking: .running) { world in
      let deferred = Deferred<Int>()
      let derived = deferred.promise.map { $0 }.map { $0 }
      #expect(derived.root === deferred.promise)
      deferred.fulfill(1)
      #expect(deferred.promise.isFulfilled)
      world.runUntilIdle()
      #expect(derived.isFulfilled)
      #expect(derived.parent == nil)
      #expect(derived.root === derived)
    }
  }

  @Test("Handlers of the owner keep its work running, and hooks do not", .rule("4.0", "4.5"), arguments: [false, true])
  func ownHandlers(_ isHook: Bool) throws {
    try TestWorld.run(checking: .running) { world in
      let task = Deferred<Int>()
      let ended = Log<Bool>()
      if isHook {
        task.onEnd { _ in ended.append(true) }
      } else {
        task.promise.catch { _ in ended.append(true) }
      }
      task.promise.map { $0 }.cancel(upstream: true)
      world.runUntilIdle()
      #expect(task.promise.isCancelled == isHook)
      #expect(ended.entries == (isHook ? [true] : []))
      task.fulfill(1)
    }
  }

  @Test("A cancelled input cancels the result of all", .rule("1.2"))
  func all() {
    let input = Deferred<Int>()
    let all = Promise.all([input.promise])
    input.promise.cancel()
    #expect(all.isCancelled)
  }

  @Test("forEach rejects at the first failure and makes no further call")
  func loop() throws {
    try TestWorld.run(checking: .running) { world in
      let calls = Log<Int>()
      let loop = Promise.forEach([1, 2, 3]) { number -> Promise<Int> in
        calls.append(number)
        return number == 2 ? .rejected(Refused()) : .fulfilled(number)
      }
      #expect(world.settling(loop).error is Refused)
      #expect(calls.entries == [1, 2])
    }
  }
}
