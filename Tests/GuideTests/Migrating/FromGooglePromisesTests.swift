import Dispatch
import PromiseCombinators
import TestSupport
import Testing

// Contains the example of Docs/Migrating/FromGooglePromises.md and each code span of its right columns.
// `Scripts/check-snippets.py` compares them.

private func making(_ deferred: Deferred<Int>, _ queue: DispatchQueue, _ error: any Error) {
  _ = Deferred<Int>()
  _ = deferred.promise
  _ = (deferred.fulfill(1), deferred.reject(error))
  _ = Promise.fulfilled(42)
  _ = Promise<Int>.rejected(error)
  _ = Promise(catching: { try work() })
  _ = Promise<Int>(on: queue) { deferred in ask(deferred.resolve) }
  _ = Promise.run(on: queue) { try work() }
  _ = Promise.run(on: queue) { load(1) }.join()
  _ = Promise<Int> { deferred in ask(deferred.resolve) }
  _ = Promise<Int> { deferred in count(deferred.resolve) }
  _ = Promise<(Int, String)> { deferred in askTwo(deferred.resolve) }
}

/// Passes a number and an error.
private func count(_ completion: @escaping @Sendable (Int, (any Error)?) -> Void) { completion(0, Refused()) }
private func askTwo(_ completion: @escaping @Sendable (Int?, String?, (any Error)?) -> Void) {
  completion(1, "one", nil)
}

private func links(_ promise: Promise<Int>, _ queue: DispatchQueue, _ label: Label) {
  _ = promise.map { $0 + 1 }
  _ = promise.then { load($0) }
  promise.tap { print($0) }
  promise.tap(on: .main) { label.text = "\($0)" }
  _ = promise.map(on: queue) { $0 + 1 }
  promise.catch { print($0) }
  _ = promise.recover { _ in 0 }
  _ = promise.rescue { _ in load(0) }
  promise.always { _ in stop() }
  _ = promise.validate { $0 > 0 }
  _ = promise.delay(.seconds(1))
  _ = promise.timeout(.seconds(1))
  _ = promise.reduce([1, 2]) { load($0 + $1) }
  _ = promise.on(queue).map { $0 + 1 }
}

@Sendable private func isWorthIt(_ failed: Int, _ error: any Error) -> Bool { failed < 3 && error is Refused }

private func several(_ promise: Promise<Int>, _ other: Promise<Int>, _ text: Promise<String>) {
  _ = Promise.all([promise, other])
  _ = Promise.all(promise, text)
  _ = Promise.allSettled([promise, other], atLeast: 1)
  _ = Promise.allSettled(promise, text, atLeast: 1)
  _ = Result<Int, any Error>.success(1)
  _ = Promise.race([promise, other])
  _ = Promise.race(promise, other)
  _ = Promise.retry { load(1) }
  _ = Promise.retry(attempts: 4) { load(1) }
  _ = Promise.retry(attempts: 4, backoff: .constant(.seconds(2))) { load(1) }
  _ = Promise.retry(attempts: 4, while: isWorthIt) { load(1) }
  _ = Promise.retry(while: isWorthIt) { load(1) }
}

private func awaiting(_ promise: Promise<Int>) async throws -> Int { try await promise.value }

private func waiting(_ promise: Promise<Int>) throws {
  _ = try promise.waitForResult(within: .seconds(60))
  try waitForPromises(timeout: .seconds(10))
  _ = (promise.isPending, promise.isFulfilled, promise.isRejected)
  _ = promise.result
  _ = promise.debugDescription
  _ = (PromiseError.timedOut, PromiseError.validationFailed)
}

private func cancelling(_ promise: Promise<Int>, _ other: Promise<Int>, _ deferred: Deferred<Int>) async throws {
  promise.cancel()
  promise.cancel(upstream: true)
  deferred.onCancel { _ in stop() }
  _ = promise.shielded()
  _ = promise.timeout(.seconds(1), cancelsSource: false)
  _ = Promise.all([promise, other], onFailure: .cancelRemaining)
  _ = Promise.race([promise, other], cancelsLosers: true)
  _ = try await promise.value(cancelsSource: true)
}

private func others(_ promise: Promise<Int>, _ queue: DispatchQueue, _ error: any Error) {
  _ = promise.map(on: .concurrent(queue)) { $0 + 1 }
  _ = promise.map { _ in throw Refused() }.asVoid()
  _ = Diagnostics.onSecondSettlement
  _ = (PromiseError.noneFulfilled, PromiseError.emptyInput)
  if case PromiseError.timedOut = error { print(error) }
}

@Suite("The migration guide from google/promises")
struct FromGooglePromisesTests {
  @Test("any takes the first value, and allSettled(atLeast: 1) waits for all inputs")
  func any() throws {
    try TestWorld.run(checking: .running) { world in
      let slow = Deferred<Int>()
      let inputs = [Promise<Int>.rejected(Refused()), .fulfilled(1), slow.promise]
      let first = Promise.any(inputs)
      let all = Promise.allSettled(inputs, atLeast: 1)
      #expect(world.settling(first).valueNow == 1)
      #expect(all.isPending)
      slow.fulfill(2)
      #expect(world.settling(all).valueNow?.map { try? $0.get() } == [nil, 1, 2])
    }
  }

  @Test("An error that a handler returns is a value", .rule("1.4"))
  func value() throws {
    try TestWorld.run { world in
      let error = Promise.fulfilled(1).map(to: (any Error).self) { _ in Refused() }
      #expect(world.settling(error).isFulfilled)
      let text = Promise.fulfilled("no error")
      #expect(text.isFulfilled)
    }
  }

  @Test("resolve prefers an error to a number, and combines two values into a pair")
  func shapes() {
    #expect(Promise<Int> { deferred in count(deferred.resolve) }.errorNow is Refused)
    #expect(Promise<(Int, String)> { deferred in askTwo(deferred.resolve) }.valueNow?.1 == "one")
  }

  @Test("allSettled(atLeast: 1), in place of any of google/promises, rejects without a fulfilled input")
  func noneFulfilled() throws {
    let failed = Promise.allSettled([Promise<Int>.rejected(Refused()), .rejected(CancellationError())], atLeast: 1)
    guard case PromiseError.noneFulfilled(let errors, _)? = failed.errorNow else {
      Issue.record("\(failed)")
      return
    }
    #expect(errors.first is Refused && errors.last is CancellationError)
    #expect(name(of: Promise.allSettled([Promise<Int>](), atLeast: 1).errorNow) == "emptyInput")
    #expect(Promise.allSettled([Promise<Int>]()).valueNow?.isEmpty == true)
  }

  @Test("waitForPromises throws outside a TestWorld, and a pattern matches a case of PromiseError")
  func waiting() throws {
    #expect(throws: WaitError.self) { try waitForPromises(timeout: .seconds(10)) }
    let error: any Error = PromiseError.timedOut(createdAt: CreationSite())
    if case PromiseError.timedOut = error {} else { Issue.record("not matched") }
  }

  @Test("An empty race is rejected")
  func emptyRace() {
    #expect(name(of: Promise<Int>.race([]).errorNow) == "emptyInput")
  }

  @Test("By default retry makes two attempts, which are a second apart and run on its context")
  func retry() throws {
    try TestWorld.run { world in
      let runs = Log<Int>()
      let result = Promise<Int>.retry {
        runs.append(1)
        return .rejected(Refused())
      }
      #expect(runs.entries.isEmpty)
      world.runUntilIdle()
      #expect(runs.entries.count == 1)
      world.advance(by: .milliseconds(999))
      #expect(runs.entries.count == 1)
      world.advance(by: .milliseconds(1))
      #expect(runs.entries.count == 2)
      #expect(result.errorNow is Refused)
    }
  }

  @Test("The attempts of retry include the first call, and the predicate gets the numbers of the failed attempts")
  func retryCounts() throws {
    try TestWorld.run(checking: .running) { world in
      let (runs, failed) = (Log<Int>(), Log<Int>())
      let result = Promise<Int>.retry(
        attempts: 3,
        while: { number, _ in
          failed.append(number)
          return true
        }
      ) {
        runs.append(1)
        return .rejected(Refused())
      }
      #expect(world.settling(result).errorNow is Refused)
      #expect(runs.entries.count == 3 && failed.entries == [1, 2])
    }
  }
}
