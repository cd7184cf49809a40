import TestSupport
import Testing

/// Behaviour of single links beyond the behaviour that all links have in common.
@Suite("Individual links") struct LinkResultTests {
  let context = ManualContext()
  let one = Promise.fulfilled(1)

  @Test("validate passes values that the predicate accepts, and rejects others with its own site or the given error")
  func validate() {
    let accepted = [one.validate(on: context) { $0 == 1 }, one.validate(on: context, error: TestError(4)) { $0 == 1 }]
    let refused = one.validate(on: context) { $0 == 2 }
    let line: UInt = #line - 1
    let refusedWithError = one.validate(on: context, error: TestError(4)) { $0 == 2 }
    let threw = one.validate(on: context) { _ in throw TestError(3) }
    context.runUntilIdle()
    #expect(accepted.allSatisfy { $0.status == .fulfilled(1) })
    #expect(refused.status == .rejected(.validationFailed(line)))
    #expect(refusedWithError.status == .failed(4))
    #expect(threw.status == .failed(3))
  }

  @Test("The error of validate describes the refused value in one bounded line")
  func refusedValue() throws {
    let text = Promise.fulfilled("a\nb" + String(repeating: "c", count: 1_000))
    let refused = text.validate(on: context, message: "too long") { $0.isEmpty }
    context.runUntilIdle()
    guard case PromiseError.validationFailed(let value, let message, _) = try #require(refused.error) else {
      throw TestError()
    }
    #expect(value.hasPrefix("a bccc"))
    #expect(value.hasSuffix("c…"))
    #expect(value.count <= 201)
    #expect(message == "too long")
    #expect("\(try #require(refused.error))".hasSuffix(": too long"))
  }

  @Test("compactMap unwraps the value, and rejects nil with its own site")
  func compactMap() {
    let some = one.compactMap(on: context) { "\($0)" as String? }
    let none = one.compactMap(on: context, to: String.self) { _ in nil }
    let line: UInt = #line - 1
    let nested = one.compactMap(on: context, to: Int?.self) { _ in .some(nil) }
    context.runUntilIdle()
    #expect(some.status == .fulfilled("1"))
    #expect(none.status == .rejected(.noValue(line)))
    #expect(nested.status == .fulfilled(nil))
  }

  @Test("asVoid drops the value, keeps the error and needs no hop")
  func asVoid() {
    let deferred = Deferred<Int>()
    let before = deferred.promise.asVoid()
    let rejected = Promise<Int>.rejected(TestError(1)).asVoid()
    deferred.fulfill(1)
    #expect(before.isFulfilled)
    #expect(deferred.promise.asVoid().isFulfilled)
    #expect(rejected.failure == .test(1))
  }
}
