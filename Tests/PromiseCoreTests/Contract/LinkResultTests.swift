import PromiseCore
import TestSupport
import Testing

/// Behaviour of single links beyond the behaviour that all links have in common.
@Suite("Individual links")
struct LinkResultTests {
  let context = ManualContext()
  let one = Promise.fulfilled(1)
  let failed = Promise<Int>.rejected(TestError(1))

  @Test("map passes the value to its handler and may change the type of the value")
  func map() {
    let text = one.map(on: context) { "\($0)" }
    let noticed = failed.map(on: context, fulfilled: { "\($0)" }, rejected: { "\($0)" })
    let chosen = one.map(on: context, fulfilled: { "\($0)" }, rejected: { "\($0)" })
    context.runUntilIdle()
    #expect(text.seen == .fulfilled("1"))
    #expect(noticed.seen == .fulfilled("TestError(number: 1)"))
    #expect(chosen.seen == .fulfilled("1"))
  }

  @Test("An error thrown by `fulfilled` is not passed to `rejected` of the same link")
  func twoHandlers() {
    let log = Log<String>()
    let mapped = one.map(
      on: context, to: Int.self, fulfilled: { _ in throw TestError(2) },
      rejected: { _ in
        log.append("map")
        return 0
      })
    let chained = one.then(
      on: context, to: Int.self, fulfilled: { _ in throw TestError(3) },
      rejected: { _ in
        log.append("then")
        return .fulfilled(0)
      })
    context.runUntilIdle()
    #expect(log.entries.isEmpty)
    #expect(mapped.seen == .failed(2))
    #expect(chained.seen == .failed(3))
  }

  @Test("tap passes the value on unchanged, or rejects with the error that its handler throws")
  func tap() {
    let log = Log<Int>()
    let passed = one.tap(on: context) { log.append($0) }
    let thrown = one.tap(on: context) { throw TestError($0 + 1) }
    context.runUntilIdle()
    #expect(log.entries == [1])
    #expect(passed.seen == .fulfilled(1))
    #expect(thrown.seen == .failed(2))
  }

  @Test("always observes the outcome and cannot change it", arguments: Settlement.allCases)
  func always(_ settlement: Settlement) {
    let log = Log<Seen<Int>>()
    let derived = (settlement.isValue ? one : failed).always(on: context) { log.append(Seen($0)) }
    context.runUntilIdle()
    #expect(log.entries == [settlement.seen])
    #expect(derived.seen == settlement.seen)
  }

  @Test("catch keeps the error, while recover, rescue and mapError replace it")
  func errors() {
    let log = Log<Failure>()
    let caught = failed.catch(on: context) { log.append(Failure($0)) }
    let recovered = failed.recover(on: context) { ($0 as? TestError)?.number ?? 0 }
    let rescued = failed.rescue(on: context) { .rejected(TestError((($0 as? TestError)?.number ?? 0) + 1)) }
    let mapped = failed.mapError(on: context) { TestError((($0 as? TestError)?.number ?? 0) + 2) }
    context.runUntilIdle()
    #expect(log.entries == [.test(1)])
    #expect(caught.seen == .failed(1))
    #expect(recovered.seen == .fulfilled(1))
    #expect(rescued.seen == .failed(2))
    #expect(mapped.seen == .failed(3))
  }

  struct Other: Error {}

  @Test("recover(from:) and catch(only:) handle only errors of their type")
  func typedErrors() {
    let log = Log<Int>()
    let taken = failed.recover(from: TestError.self, on: context) { $0.number + 10 }
    let passed = failed.recover(from: Other.self, on: context) { _ in
      log.append(1)
      return 0
    }
    let seen = failed.catch(only: TestError.self, on: context) { log.append($0.number + 20) }
    let unseen = failed.catch(only: Other.self, on: context) { _ in log.append(2) }
    context.runUntilIdle()
    #expect(log.entries == [21])
    #expect(taken.seen == .fulfilled(11))
    for promise in [passed, seen, unseen] { #expect(promise.seen == .failed(1)) }
  }

  @Test("rescue(from:), mapError(from:) and onRejected(only:) handle only errors of their type")
  func moreTypedErrors() {
    let log = Log<Int>()
    let rescued = failed.rescue(from: TestError.self, on: context) { .fulfilled($0.number + 10) }
    let threw = failed.rescue(from: TestError.self, on: context) { throw TestError($0.number + 20) }
    let mapped = failed.mapError(from: TestError.self, on: context) { TestError($0.number + 30) }
    let mappedByThrowing = failed.mapError(from: TestError.self, on: context) { throw TestError($0.number + 40) }
    let passed = [
      failed.rescue(from: Other.self, on: context) { _ in .fulfilled(0) },
      failed.mapError(from: Other.self, on: context) { $0 },
      failed.onRejected(only: Other.self, on: context) { _ in log.append(1) },
    ]
    failed.onRejected(only: TestError.self, on: context) { log.append($0.number + 50) }
    context.runUntilIdle()
    #expect(log.entries == [51])
    #expect(rescued.seen == .fulfilled(11) && threw.seen == .failed(21))
    #expect(mapped.seen == .failed(31) && mappedByThrowing.seen == .failed(41))
    for promise in passed { #expect(promise.seen == .failed(1)) }
  }

  @Test("validate passes values that the predicate accepts, and rejects others with its own site")
  func validate() {
    let accepted = one.validate(on: context) { $0 == 1 }
    let refused = one.validate(on: context) { $0 == 2 }
    let line: UInt = #line - 1
    let threw = one.validate(on: context) { _ in throw TestError(3) }
    context.runUntilIdle()
    #expect(accepted.seen == .fulfilled(1))
    #expect(refused.seen == .rejected(.validationFailed(line)))
    #expect(threw.seen == .failed(3))
  }

  @Test("The error of validate describes the refused value in one bounded line")
  func refusedValue() throws {
    let text = Promise.fulfilled("a\nb" + String(repeating: "c", count: 1_000))
    let refused = text.validate(on: context, message: "too long") { $0.isEmpty }
    context.runUntilIdle()
    guard case PromiseError.validationFailed(let value, let message, _) = try #require(refused.error) else {
      Issue.record("another error")
      return
    }
    #expect(value.hasPrefix("a bccc") && value.hasSuffix("c…") && value.count <= 201)
    #expect(message == "too long")
    #expect("\(try #require(refused.error))".hasSuffix(": too long"))
  }

  @Test("validate rejects with the error that it is given if the predicate refuses the value")
  func refusedWithError() {
    let refused = one.validate(on: context, error: TestError(4)) { $0 == 2 }
    let accepted = one.validate(on: context, error: TestError(4)) { $0 == 1 }
    context.runUntilIdle()
    #expect(refused.seen == .failed(4) && accepted.seen == .fulfilled(1))
  }

  @Test("compactMap unwraps the value, and rejects nil with its own site")
  func compactMap() {
    let some = one.compactMap(on: context) { "\($0)" as String? }
    let none = one.compactMap(on: context, to: String.self) { _ in nil }
    let line: UInt = #line - 1
    let nested = one.compactMap(on: context, to: Int?.self) { _ in .some(nil) }
    context.runUntilIdle()
    #expect(some.seen == .fulfilled("1"))
    #expect(none.seen == .rejected(.noValue(line)))
    #expect(nested.seen == .fulfilled(nil))
  }

  @Test("asVoid drops the value, keeps the error and needs no hop")
  func asVoid() {
    let deferred = Deferred<Int>()
    let before = deferred.promise.asVoid()
    let rejected = failed.asVoid()
    deferred.fulfill(1)
    #expect(before.isFulfilled && deferred.promise.asVoid().isFulfilled)
    #expect(rejected.failure == .test(1))
  }

  @Test("Each observer sees only the outcomes that it observes")
  func observers() {
    let log = Log<String>()
    for promise in [one, failed] {
      promise
        .onFulfilled(on: context) { log.append("value \($0)") }
        .onRejected(on: context) { log.append("error \(Failure($0))") }
        .onSettled(on: context) { log.append("settled \(Seen($0) == .fulfilled(1))") }
    }
    context.runUntilIdle()
    #expect(log.entries == ["value 1", "settled true", "error test(1)", "settled false"])
  }

  @Test("A chain of links carries a value to its end, and an error past the links for values")
  func chains() {
    let context = context
    func chain(_ promise: Promise<Int>) -> Promise<String> {
      promise
        .map(on: context) { $0 + 1 }
        .then(on: context) { .fulfilled($0 * 10) }
        .tap(on: context) { _ in }
        .validate(on: context) { $0 < 100 }
        .always(on: context) { _ in }
        .catch(on: context) { _ in }
        .recover(from: PromiseError.self, on: context) { _ in -1 }
        .compactMap(on: context) { "\($0)" }
    }
    let value = chain(one)
    let refused = chain(.fulfilled(50))
    let error = chain(failed)
    context.runUntilIdle()
    #expect(value.seen == .fulfilled("20"))
    #expect(refused.seen == .fulfilled("-1"))
    #expect(error.seen == .failed(1))
  }
}
