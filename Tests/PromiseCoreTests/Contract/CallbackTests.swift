import TestSupport
import Testing

/// Passes `deferred.resolve` as the completion handler of callback APIs of every shape.
@Suite("Promises from callbacks") struct CallbackTests {
  /// Calls a completion handler that takes any number and types of arguments.
  private func api<each Argument>(
    _ arguments: repeat each Argument, completion: @Sendable (repeat each Argument) -> Void
  ) { completion(repeat each arguments) }

  typealias AnyError = (any Error)?

  @Test("resolve serves as a callback of the form (Value) or (), also beside reject as a callback for the error")
  func values() {
    #expect(Promise<Int> { api(1, completion: $0.resolve) }.status == .fulfilled(1))
    #expect(Promise<Void> { api(completion: $0.resolve) }.isFulfilled)
    func separate(_ isDone: Bool, success: @Sendable (Int) -> Void, failure: @Sendable (any Error) -> Void) {
      isDone ? success(1) : failure(TestError(2))
    }
    #expect(Promise<Int> { separate(true, success: $0.resolve, failure: $0.reject) }.status == .fulfilled(1))
    #expect(Promise<Int> { separate(false, success: $0.resolve, failure: $0.reject) }.status == .failed(2))
  }

  @Test(
    "resolve as (Value?, Error?) or (Error?, Value?) prefers the error, and rejects two nils with emptyCallback",
    arguments: [false, true])
  func valueAndError(isErrorFirst: Bool) {
    func resolved(_ value: Int?, _ error: AnyError) -> Status<Int> {
      Promise<Int>(line: 77) { deferred in
        if isErrorFirst {
          api(error, value, completion: deferred.resolve)
        } else {
          api(value, error, completion: deferred.resolve)
        }
      }.status
    }
    #expect(resolved(1, nil) == .fulfilled(1))
    #expect(resolved(nil, TestError(2)) == .failed(2))
    #expect(resolved(1, TestError(3)) == .failed(3))
    #expect(resolved(nil, nil) == .rejected(.emptyCallback(77)))
  }

  @Test("resolve as (First?, Second?, Error?) fulfils only if both values are present")
  func twoValues() {
    func resolved(_ first: Int?, _ second: String?, _ error: AnyError) -> Status<String> {
      let context = ManualContext()
      let both = Promise<(Int, String)>(line: 79) { api(first, second, error, completion: $0.resolve) }
      let text = both.map(on: context) { "\($0.0)\($0.1)" }
      context.runUntilIdle()
      return text.status
    }
    #expect(resolved(1, "a", nil) == .fulfilled("1a"))
    #expect(resolved(1, "a", TestError(2)) == .failed(2))
    #expect(resolved(nil, nil, TestError(3)) == .failed(3))
    for (first, second) in [(1, nil), (nil, "a"), (nil, nil)] as [(Int?, String?)] {
      #expect(resolved(first, second, nil) == .rejected(.emptyCallback(79)))
    }
  }

  @Test("resolve as (Result<Value, Failure>) accepts any type of error")
  func results() {
    func resolved<Failure>(_ result: Result<Int, Failure>) -> Status<Int> {
      Promise<Int> { api(result, completion: $0.resolve) }.status
    }
    #expect(resolved(Result<Int, TestError>.success(1)) == .fulfilled(1))
    #expect(resolved(Result<Int, TestError>.failure(TestError(2))) == .failed(2))
    #expect(resolved(Result<Int, any Error>.failure(TestError(3))) == .failed(3))
    #expect(resolved(Result<Int, Never>.success(4)) == .fulfilled(4))
  }

  @Test("resolve as (Error?) or (Bool, Error?) fulfils with () or with the Bool unless there is an error")
  func errorLast() {
    func completed(_ error: AnyError) -> Promise<Void> { Promise<Void> { api(error, completion: $0.resolve) } }
    #expect(completed(nil).isFulfilled)
    #expect(completed(TestError(1)).failure == .test(1))
    func resolved(_ value: Bool, _ error: AnyError) -> Status<Bool> {
      Promise<Bool> { api(value, error, completion: $0.resolve) }.status
    }
    #expect(resolved(true, nil) == .fulfilled(true))
    #expect(resolved(false, nil) == .fulfilled(false))
    #expect(resolved(false, TestError(1)) == .failed(1))
    #expect(resolved(true, TestError(2)) == .failed(2))
  }

  @Test("resolve fulfils with nil if the value is optional and there is no error, in both orders")
  func optionalValues() {
    func resolved(_ value: Int?, _ error: AnyError) -> [Status<Int?>] {
      [
        Promise<Int?> { api(value, error, completion: $0.resolve) }.status,
        Promise<Int?> { api(error, value, completion: $0.resolve) }.status,
      ]
    }
    #expect(resolved(1, nil) == [.fulfilled(1), .fulfilled(1)])
    #expect(resolved(nil, nil) == [.fulfilled(nil), .fulfilled(nil)])
    #expect(resolved(1, TestError(1)) == [.failed(1), .failed(1)])
    #expect(resolved(nil, TestError(2)) == [.failed(2), .failed(2)])
  }

  @Test("Calls take the value first, and callbacks of either order work, even if the value is an error", .rule("1.4"))
  func errorsAsValues() {
    #expect(Promise<String> { $0.resolve("hello", nil) }.status == .fulfilled("hello"))
    #expect(Promise<String> { $0.resolve(nil, "refused") }.failure == .other("refused"))
    #expect(Promise<String?> { $0.resolve("hello", nil) }.status == .fulfilled("hello"))
    #expect(Promise<String?> { $0.resolve(nil, "refused") }.failure == .other("refused"))
    #expect(Promise<Int?> { $0.resolve(nil, nil) }.status == .fulfilled(nil))
    let value: any Error = TestError(1)
    #expect(Promise<any Error> { $0.resolve(value, nil) }.state.value as? TestError == TestError(1))
    #expect(Promise<any Error> { $0.resolve(nil, value) }.failure == .test(1))
    func valueFirst(_ completion: @Sendable (String?, AnyError) -> Void) { completion("hello", nil) }
    func errorFirst(_ completion: @Sendable (AnyError, String?) -> Void) { completion(nil, "hello") }
    func failing(_ completion: @Sendable (AnyError, String?) -> Void) { completion(TestError(1), nil) }
    #expect(Promise<String> { valueFirst($0.resolve) }.status == .fulfilled("hello"))
    #expect(Promise<String> { errorFirst($0.resolve) }.status == .fulfilled("hello"))
    #expect(Promise<String> { failing($0.resolve) }.status == .failed(1))
    #expect(Promise<String?> { valueFirst($0.resolve) }.status == .fulfilled("hello"))
    #expect(Promise<String?> { errorFirst($0.resolve) }.status == .fulfilled("hello"))
  }

  @Test("A callback that is kept settles its promise later, and breaks the promise if it is released unused")
  func keptCallbacks() {
    var completion: (@Sendable (Int) -> Void)?
    let promise = Promise<Int> { completion = $0.resolve }
    #expect(promise.isPending)
    completion?(4)
    completion?(5)
    #expect(promise.status == .fulfilled(4))

    let unused = Promise<Int>(line: 80) { completion = $0.resolve }
    #expect(unused.isPending)
    completion = nil
    #expect(unused.status == .rejected(.broken(80)))
  }
}
