import TestSupport
import Testing

@Suite("Promises/A+ 2.2.2 and 2.2.3: the handlers for the value and for the error", .rule("2.8", "2.1"))
struct Clause2_2_2And3Tests {
  private let context = ManualContext()
  private let seen = Log<Outcome>()

  @Test(
    "The handler is called once, after the settlement, with the value or the error (2.2.2.1, 2.2.3.1)",
    arguments: Settling.allCases, Form.eachHandling)
  func calledOnce(_ settling: Settling, _ handled: (outcome: Outcome, form: Form)) {
    settling.settle(as: handled.outcome) { promise in
      handled.form.attach(to: promise, on: context) { seen.append($0, returning: 0) }
    }
    #expect(seen.entries == [])
    #expect(context.runUntilIdle() == 1)
    #expect(seen.entries == [handled.outcome])
    #expect(context.runUntilIdle() == 0)
    #expect(seen.entries == [handled.outcome])
  }

  @Test(
    "The handler is not called as long as the promise is pending (2.2.2.2, 2.2.3.2)",
    arguments: Settling.whilePending, Form.eachHandling)
  func notCalledBefore(_ settling: Settling, _ handled: (outcome: Outcome, form: Form)) {
    settling.settle(as: handled.outcome) { promise in
      handled.form.attach(to: promise, on: context) { seen.append($0, returning: 0) }
      #expect(context.runUntilIdle() == 0)
      #expect(seen.entries == [])
    }
    context.runUntilIdle()
    #expect(seen.entries == [handled.outcome])
  }

  @Test(
    "The handler is called once, however often the owner settles and threads run its job (2.2.2.3, 2.2.3.3)",
    arguments: Settling.byOwner, Form.eachHandling)
  func calledOnceOnly(_ settling: Settling, _ handled: (outcome: Outcome, form: Form)) throws {
    let deferred = Deferred<Int>()
    let result = handled.outcome.result
    settling.settle(deferred, with: result) {
      handled.form.attach(to: deferred.promise, on: context) { seen.append($0, returning: 0) }
    }
    deferred.settle(result)
    let job = try #require(context.takeFirst())
    race([{ job.run() }, { job.run() }])
    job.run()
    deferred.settle(result)
    #expect(context.runUntilIdle() == 0)
    #expect(seen.entries == [handled.outcome])
  }

  @Test(
    "Handlers attached before the settlement, after it, and after others have run are each called once (2.2.2.3, 2.2.3.3)",
    arguments: Settling.allCases, Outcome.settled)
  func eachCalledOnce(_ settling: Settling, _ outcome: Outcome) {
    let seen = Log<Int>()
    let attach: (Promise<Int>, Int) -> Void = { promise, number in
      promise.onSettled(on: context) { _ in seen.append(number) }
    }
    let promise = settling.settle(as: outcome) { promise in
      attach(promise, 1)
      return promise
    }
    attach(promise, 2)
    #expect(context.runUntilIdle() == 2)
    attach(promise, 3)
    #expect(context.runUntilIdle() == 1)
    #expect(seen.entries == [1, 2, 3])
  }

  @Test("A handler for one type of error is called only for that type (2.2.3.1)", arguments: Settling.allCases)
  func typedHandlers(_ settling: Settling) {
    let seen = Log<String>()
    let (unlike, like) = settling.settle(as: .error(1)) { promise in
      promise.catch(only: Token.self, on: context) { _ in seen.append("token") }
      promise.catch(only: TestError.self, on: context) { seen.append("error \($0.number)") }
      return (
        promise.recover(from: Token.self, on: context) { _ in 7 },
        promise.recover(from: TestError.self, on: context) { $0.number + 1 }
      )
    }
    context.runUntilIdle()
    #expect(seen.entries == ["error 1"])
    expect(unlike, shows: .error(1))
    expect(like, shows: .value(2))
  }
}
