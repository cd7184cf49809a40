import Dispatch
import PromiseCombinators
import PromiseGates
import TestSupport
import Testing

// Contains the example of Docs/Migrating/FromGooglePromises.md and each code span of its right columns.
// `Scripts/check-snippets.py` compares them.

private func calls(
  _ deferred: Deferred<Int>, _ queue: DispatchQueue, _ error: any Error, _ promise: Promise<Int>,
  _ other: Promise<Int>, _ text: Promise<String>
) throws {
  _ = deferred.promise
  _ = (deferred.fulfill(1), deferred.reject(error))
  _ = Promise.fulfilled(42)
  _ = Promise<Int>.rejected(error)
  _ = Promise(catching: { try work() })
  _ = Promise<Int>(on: queue) { deferred in ask(deferred.resolve) }
  _ = Promise.run(on: queue) { try work() }
  _ = Promise.run(on: queue) { load(1) }.join()
  _ = Promise<Int> { deferred in ask(deferred.resolve) }

  _ = promise.map { $0 + 1 }
  _ = promise.then { load($0) }
  promise.tap { print($0) }
  _ = promise.map(on: queue) { $0 + 1 }
  _ = promise.rescue { _ in load(0) }
  _ = promise.on(queue).map { $0 + 1 }

  _ = Promise.all([promise, other])
  _ = Promise.all(promise, text)
  _ = Promise.allSettled([promise, other], atLeast: 1)
  _ = Promise.allSettled(promise, text, atLeast: 1)
  _ = Result<Int, any Error>.success(1)
  _ = Promise.retry { load(1) }
  _ = Promise.retry(attempts: 4) { load(1) }
  _ = Promise.retry(attempts: 4, backoff: .constant(.seconds(2))) { load(1) }
  _ = Promise.retry(while: isWorthIt) { load(1) }

  _ = try promise.waitForValue(within: .seconds(60))
  _ = promise.result
  _ = (PromiseError.timedOut, PromiseError.validationFailed)

  _ = promise.map(on: .concurrent(queue)) { $0 + 1 }
  _ = promise.map { _ in throw Refused() }.asVoid()
  _ = (PromiseError.noneFulfilled, PromiseError.emptyInput)
}

/// Passes a number and an error.
private func count(_ completion: @escaping @Sendable (Int, (any Error)?) -> Void) { completion(0, Refused()) }
private func askTwo(_ completion: @escaping @Sendable (Int?, String?, (any Error)?) -> Void) {
  completion(1, "one", nil)
}

@Sendable private func isWorthIt(_ failed: Int, _ error: any Error) -> Bool { failed < 3 && error is Refused }

private func awaiting(_ promise: Promise<Int>) async throws -> Int { try await promise.value }

private func cancelling(_ promise: Promise<Int>, _ other: Promise<Int>, _ deferred: Deferred<Int>) async throws {
  promise.cancel()
  promise.cancel(upstream: true)
  deferred.onCancel { _ in stop() }
  _ = promise.timeout(.seconds(1), cancelsSource: false)
  _ = Promise.all([promise, other], onRejection: .cancelRemaining)
  _ = Promise.race([promise, other], cancelsLosers: true)
  _ = try await promise.value(cancelsSource: true)
}

private func byHand(
  _ deferred: Deferred<Int>, _ promise: Promise<Int>, _ other: Promise<Int>, _ limit: ConcurrencyLimit,
  _ done: Log<Result<Int, any Error>>
) {
  @Sendable func show(_ progress: Double) {}
  _ = limit.run { load(1) }
  limit.isPaused = true
  _ = Promise.retry(attempts: 5, backoff: .exponential(first: .seconds(1)).jittered()) { load(1) }
  _ = Promise.all([promise, other], onRejection: .cancelRemaining)
  promise.cancel(upstream: true)
  deferred.report(progress: 0.5)
  promise.onProgress { show($0) }
  _ = Promise.all([promise, other]).progress
  promise.always { done.append($0) }
}

@Suite("The migration guide from google/promises") struct FromGooglePromisesTests {
  @Test("any takes the first value, and allSettled(atLeast: 1) waits for all inputs")
  func any() throws {
    try TestWorld.run(checking: .running) { world in
      let slow = Deferred<Int>()
      let inputs = [Promise<Int>.rejected(Refused()), .fulfilled(1), slow.promise]
      let first = Promise.any(inputs)
      let all = Promise.allSettled(inputs, atLeast: 1)
      #expect(world.settling(first).state.value == 1)
      #expect(all.isPending)
      slow.fulfill(2)
      #expect(world.settling(all).state.value?.map { try? $0.get() } == [nil, 1, 2])
    }
  }

  @Test("Combinators without a fulfilled input or without inputs are rejected, and allSettled without inputs is not")
  func noValue() {
    let failed = [Promise<Int>.rejected(Refused())]
    #expect(name(of: Promise.allSettled(failed, atLeast: 1).error) == "noneFulfilled")
    #expect(name(of: Promise.any(failed).error) == "noneFulfilled")
    #expect(name(of: Promise.allSettled([Promise<Int>](), atLeast: 1).error) == "emptyInput")
    #expect(Promise.allSettled([Promise<Int>]()).state.value?.isEmpty == true)
    #expect(name(of: Promise<Int>.race([]).error) == "emptyInput")
    #expect(name(of: Promise<Int>.any([]).error) == "emptyInput")
  }

  @Test("An error that a handler returns is a value, and resolve prefers an error to a number", .rule("1.4"))
  func errors() throws {
    try TestWorld.run { world in
      #expect(world.settling(Promise.fulfilled(1).map(to: (any Error).self) { _ in Refused() }).isFulfilled)
    }
    #expect(Promise<Int> { deferred in count(deferred.resolve) }.error is Refused)
    #expect(Promise<(Int, String)> { deferred in askTwo(deferred.resolve) }.state.value?.1 == "one")
  }

  @Test("waitForPromises throws outside a TestWorld, and a pattern matches a case of PromiseError")
  func waiting() throws {
    #expect(throws: WaitError.self) { try waitForPromises(within: .seconds(10)) }
    let error: any Error = PromiseError.timedOut(createdAt: CreationSite())
    if case PromiseError.timedOut = error {} else { Issue.record("not matched") }
  }

  @Test("retry makes two attempts by default, a second apart, and its predicate gets the numbers of failed attempts")
  func retry() throws {
    try TestWorld.run(checking: .running) { world in
      let runs = Log<Int>()
      let failed = Log<Int>()
      let result = Promise<Int>.retry { runs.append(1, returning: Promise<Int>.rejected(Refused())) }
      #expect(runs.entries.isEmpty)
      world.advance(by: .milliseconds(999))
      #expect(runs.entries.count == 1)
      world.advance(by: .milliseconds(1))
      #expect(runs.entries.count == 2)
      #expect(result.error is Refused)
      let counted = Promise<Int>.retry(
        attempts: 3, while: { number, _ in failed.append(number, returning: true) }, { .rejected(Refused()) })
      #expect(world.settling(counted).error is Refused)
      #expect(failed.entries == [1, 2])
    }
  }
}
