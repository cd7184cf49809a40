import Dispatch
import Foundation
import PromiseCombinators
import PromiseGates
import PromiseHTTP
import PromiseProcesses
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// Contains the example of Docs/Migrating/FromPromiseKit.md and each code span of its right columns.
// `Scripts/check-snippets.py` compares them.

private func calls(
  _ deferred: Deferred<Int>, _ promise: Promise<Int>, _ value: Int?, _ error: any Error, _ list: Promise<[Int]>,
  _ other: Promise<Int>, _ text: Promise<String>
) throws {
  _ = Promise<Int> { deferred in ask(deferred.resolve) }
  _ = Deferred<Int>()
  _ = (deferred.fulfill(1), deferred.reject(error))
  deferred.resolve(value, error)
  let result = Result<Int, any Error>.failure(error)
  deferred.settle(result)
  _ = Promise.fulfilled(42)
  _ = Promise<Int>.rejected(error)
  func known() -> Promise<Int> { .rejected(error) }
  _ = Promise.fulfilled(())
  _ = Promise.after(.seconds(1))
  _ = Promise.run { try work() }
  _ = load(1)
  _ = Promise(catching: { load(try number()) }).join()
  deferred.follow(promise)
  promise.relay(to: deferred)

  _ = list.map { $0.map { $0 + 1 } }
  _ = list.then { Promise.all($0.map(load)) }
  _ = list.then { Promise.all($0.map(pages)) }.map { $0.flatMap { $0 } }
  _ = Promise.forEach([1, 2, 3]) { load($0) }
  _ = promise.reduce([1, 2, 3]) { sum, number in load(number).map { sum + $0 } }

  _ = Promise.all([promise, other])
  _ = Promise.all(promise, text)
  let _: Promise<[Result<Int, any Error>]> = Promise.allSettled([promise, other])
  _ = Promise.traverse(1...9, concurrency: 4) { load($0) }
  _ = Promise.race(promise, other)
  _ = Promise.any([promise, other])
  _ = promise.timeout(.seconds(5))
  _ = promise.timeout(.seconds(5), error: Refused())
  _ = Promise.retry(attempts: 3, backoff: .constant(.seconds(2))) { load(1) }

  _ = promise.result
  _ = (promise.isPending, promise.isFulfilled, promise.isRejected)
  _ = try promise.waitForValue(within: .seconds(5))
  _ = promise.isCancelled
  _ = promise.markCancelled { $0 is Refused }
  _ = CancellationError()
  promise.cancel()
  Diagnostics.onUnhandledRejection { print($0) }

  _ = (PromiseError.noneFulfilled, PromiseError.emptyInput)
  if case PromiseError.timedOut = error { print(error) }
}

private func number() throws -> Int { throw Refused() }

private actor Counter { var total = 0 }

private func links(_ promise: Promise<Int>, _ queue: DispatchQueue, _ label: Label, _ counter: Counter) {
  promise.tap(on: .main) { label.text = "\($0)" }
  _ = promise.tap(on: .main) { label.text = "\($0)" }.asVoid()
  promise.tap(isolatedTo: counter) { counter, value in counter.total += value }
  _ = promise.then { first in load(first).map { (first, $0) } }
  _ = promise.mapError { _ in Refused() }
  _ = promise.rescueFailure { _ in .fulfilled(0) }
  _ = promise.recoverFailure { _ in 0 }
  promise.tap { print($0) }
  promise.always { print($0) }
  _ = promise.rescue { _ in .fulfilled(0) }
  _ = promise.recover { _ in 0 }
  _ = promise.recover(from: Refused.self) { _ in 0 }
  promise.catch { print($0) }
  promise.catchFailure { print($0) }
  _ = promise.rescue(from: Refused.self) { _ in .fulfilled(0) }
  promise.catch(only: Refused.self) { print($0) }
  promise.catchFailure(only: Refused.self) { print($0) }
  promise.always { _ in stop() }
  promise.alwaysThen { _ in load(0) }
  promise.onSettled { _ in stop() }
  promise.onFailed { print($0) }
  _ = promise.on(queue).map { $0 + 1 }
}

private func awaiting(_ promise: Promise<Int>) async throws -> Int { try await promise.value }

private func cancelling(_ promise: Promise<Int>, _ other: Promise<Int>, _ deferred: Deferred<Int>) async throws {
  let first = deferred.promise
  promise.cancel(upstream: true)
  first.cancel()
  deferred.onCancel { _ in stop() }
  deferred.onEnd { _ in stop() }
  _ = promise.timeout(.seconds(5), cancelsSource: false)
  _ = Promise.all([promise, other], onRejection: .cancelRemaining)
  _ = try await promise.value(cancelsSource: true)
}

private struct User: Codable, Sendable {
  let name: String
}

private func animate(completion: (@Sendable (Bool) -> Void)?) { completion?(true) }

private func frameworks(
  _ session: URLSession, _ request: URLRequest, _ address: String, _ data: Data, _ file: URL
) {
  _ = session.promise(for: request)
  _ = session.promise(for: .get(address))
  _ = session.promise(for: .get(address), decoding: User.self)
  _ = session.promise(for: request, uploading: data)
  _ = session.promise(for: request, uploadingFile: file)
  _ = session.promise(for: request, downloadingTo: file)
  _ = Command("git", ["status"]).run()
  _ = Promise<Bool> { deferred in animate(completion: deferred.resolve) }
}

private func byHand(
  _ promise: Promise<Int>, _ other: Promise<Int>, _ flights: SingleFlight<Int, Int>, _ bag: CancelBag,
  _ error: any Error, _ done: Log<Result<Int, any Error>>
) {
  @Sendable func begin() -> Promise<Int> { load(1) }
  @Sendable func undo(_ number: Int, after outcome: Result<Int, any Error>) -> Promise<Int> { load(number) }
  _ = flights.run(for: 1) { load(1) }
  _ = flights.run(for: 1) { load(1) }.shielded()
  promise.cancel(upstream: true)
  promise.bound(to: bag)
  bag.close(reason: error)
  _ = Promise.all([promise, other], onRejection: .cancelRemaining)
  _ = Promise.using(begin, release: undo) { load($0) }
  promise.always { done.append($0) }
}

@Suite("The migration guide from PromiseKit") struct FromPromiseKitTests {
  @Test("A closure for the first promise that throws rejects the chain, inside the call")
  func firstly() {
    #expect(Promise(catching: { load(try number()) }).join().error is Refused)
  }

  @Test(
    "recover runs for a cancellation that comes through an adopted promise, unless it skips cancellations",
    .rule("3.1", "1.2"))
  func recover() throws {
    try TestWorld.run(checking: .running) { world in
      let foreign = Deferred<Int>()
      let promise = Promise.fulfilled(1).then { _ in foreign.promise }
      let recovered = promise.recover { _ in 0 }
      let skipped = promise.rescueFailure { _ in .fulfilled(0) }
      world.runUntilIdle()
      foreign.promise.cancel()
      #expect(world.settling(recovered).state.value == 0)
      #expect(world.settling(skipped).isCancelled)
    }
  }

  @Test("recover does not run for a promise that is cancelled itself", .rule("2.5"))
  func recoverCancelled() throws {
    try TestWorld.run(checking: .running) { world in
      let work = Deferred<Int>()
      let recovered = work.promise.recover { _ in 0 }
      recovered.cancel(upstream: true)
      world.runUntilIdle()
      #expect(recovered.isCancelled)
    }
  }

  @Test("A loop of reduce makes one step after another, and passes its value on")
  func reduce() throws {
    try TestWorld.run(checking: .running) { world in
      let begun = Log<Int>()
      let sum = Promise.fulfilled(0).reduce([1, 2, 3]) { sum, number in
        begun.append(number)
        return load(number).map { sum + $0 }
      }
      #expect(world.settling(sum).state.value == 6)
      #expect(begun.entries == [1, 2, 3])
    }
  }

  @Test("retry waits for one second before the next attempt, unless the call names another pause")
  func retryPause() throws {
    try TestWorld.run(checking: .running) { world in
      let short = Log<Int>()
      let long = Log<Int>()
      let shortly = Promise.retry(attempts: 3) { short.append(1, returning: Promise<Int>.rejected(Refused())) }
      let slowly = Promise.retry(attempts: 3, backoff: .constant(.seconds(2))) {
        long.append(1, returning: Promise<Int>.rejected(Refused()))
      }
      world.advance(by: .seconds(2))
      #expect(short.entries.count == 3)
      #expect(long.entries.count == 2)
      #expect(world.settling(shortly).error is Refused)
      #expect(world.settling(slowly).error is Refused)
    }
  }
}
