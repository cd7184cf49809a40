import TestSupport
import Testing

@Suite("Promises/A+ 2.3.4: plain values", .rule("2.8", "1.4")) struct Clause2_3_4Tests {
  @Test("Numbers, text, tuples, functions and void fulfil a promise unchanged (2.3.4)", arguments: Settling.allCases)
  func plainValues(_ settling: Settling) {
    expectKept(1, settling) { $0 == 1 }
    expectKept("text", settling) { $0 == "text" }
    expectKept((1, "text"), settling) { $0 == (1, "text") }
    let function = { @Sendable in 1 }
    expectKept(function, settling) { $0() == 1 }
    expectKept((), settling) { $0 == () }
  }

  @Test("A nil value fulfils a promise, even within an optional (2.3.4)", arguments: Settling.allCases)
  func optionals(_ settling: Settling) {
    expectKept(Int?.none, settling) { $0 == nil }
    expectKept(Int?.some(1), settling) { $0 == 1 }
    expectKept(Int??.some(.none), settling) { $0 == .some(.none) }
    expectKept(Int??.none, settling) { $0 == Int??.none }
    expectKept((any Error)?.none, settling) { $0 == nil }
  }

  @Test("An error as a value fulfils a promise (2.3.4)", arguments: Settling.allCases)
  func errorsAsValues(_ settling: Settling) {
    expectKept(TestError(1) as any Error, settling) { $0 as? TestError == TestError(1) }
    expectKept(TestError(1), settling) { $0 == TestError(1) }
    expectKept(CancellationError() as any Error, settling) { $0 is CancellationError }
    expectKept(Result<Int, any Error>.failure(TestError(1)), settling) { Outcome($0) == .error(1) }
  }

  @Test("A value and an error of one type stay apart (2.3.4)", arguments: Settling.allCases)
  func valueAndErrorOfOneType(_ settling: Settling) {
    let context = ManualContext()
    let seen = Log<String>()
    for result in [Result<String, any Error>.success("text"), .failure("text")] {
      settling.settle(with: result) { promise in
        promise.onFulfilled(on: context) { seen.append("value \($0)") }
        promise.onRejected(on: context) { seen.append("error \($0)") }
      }
      context.runUntilIdle()
    }
    #expect(seen.entries == ["value text", "error text"])
  }

  @Test(
    "A promise as a value stays a promise, pending or settled (2.3.4)", arguments: Settling.allCases, Outcome.settled)
  func promisesAsValues(_ settling: Settling, _ outcome: Outcome) {
    let owner = Deferred<Int>()
    let inner = owner.promise
    expectKept(inner, settling) { $0 === inner && $0.isPending }
    owner.settle(outcome.result)
    expectKept(inner, settling) { $0 === inner && $0.shown == outcome }
  }

  @Test("`then` unwraps one level of promises, and no more (2.3.4)", .rule("2.6"), arguments: Settling.allCases)
  func thenTakesOneOff(_ settling: Settling) throws {
    let context = ManualContext()
    let inner = Promise.fulfilled(1)
    let (twice, once) = settling.settle(with: .success(inner)) { promise in
      (promise.then(on: context) { $0 }, promise.then(on: context) { .fulfilled($0) })
    }
    context.runUntilIdle()
    expect(twice, shows: .value(1))
    #expect(try once.result?.get() === inner)
  }
}

/// Checks that the value reaches the state, each kind of handler, the promises of handlers that return it, and the
/// promises that adopt its promise.
private func expectKept<Value: Sendable>(
  _ value: Value, _ settling: Settling, sourceLocation: SourceLocation = #_sourceLocation,
  _ isKept: @escaping @Sendable (Value) -> Bool
) {
  let context = ManualContext()
  let seen = Log<Bool>()
  let promises = settling.settle(with: .success(value)) { promise -> [Promise<Value>] in
    promise.onFulfilled(on: context) { seen.append(isKept($0)) }
    promise.onRejected(on: context) { _ in seen.append(false) }
    let links: [Promise<Value>] = [
      promise,
      promise.map(on: context) { $0 },
      promise.tap(on: context) { _ in },
      promise.always(on: context) { _ in },
      promise.compactMap(on: context) { Optional($0) },
      promise.then(on: context) { .fulfilled($0) },
      promise.map(on: context, fulfilled: { $0 }, rejected: { throw $0 }),
      promise.recover(on: context) { throw $0 },
      promise.map(on: context) { _ in throw TestError() }.recover(on: context) { _ in value },
      promise.rescue(on: context) { .rejected($0) },
      Promise<Value>.rejected(TestError()).rescue(on: context) { _ in promise },
    ]
    // If the promise is settled later, the adopters have adopted it while it was pending.
    return links + Adoption.allCases.map { $0.adopt(promise) }
  }
  context.runUntilIdle()
  #expect(seen.entries == [true], sourceLocation: sourceLocation)
  for promise in promises {
    guard case .fulfilled(let kept) = promise.state else {
      Issue.record("\(promise.state) is not fulfilled", sourceLocation: sourceLocation)
      continue
    }
    #expect(isKept(kept), sourceLocation: sourceLocation)
    #expect(!promise.isCancelled, sourceLocation: sourceLocation)
  }
}
