import PromiseCore
import TestSupport
import Testing

// How 2.2.2 and 2.2.3, and 2.2.7.3 and 2.2.7.4, read alike: the same clause for values and for errors.

/// 2.2.2.1, 2.2.3.1 and x.3: called after the settlement, with its value or reason, by no other handler, and once.
func expectCalledOnce(_ form: Form, _ outcome: Outcome, _ settling: Settling) {
  let context = ManualContext()
  let seen = Log<Outcome>()
  settling.settle(as: outcome) { promise in
    form.attach(to: promise, on: context) { outcome in
      seen.append(outcome)
      return 0
    }
  }
  #expect(seen.entries == [])
  #expect(context.runUntilIdle() == 1)
  #expect(seen.entries == [outcome])
  #expect(context.runUntilIdle() == 0)
  #expect(seen.entries == [outcome])
}

/// 2.2.2.2 and 2.2.3.2: not called as long as the promise is pending.
func expectNotCalledBefore(_ form: Form, _ outcome: Outcome, _ settling: Settling) {
  let context = ManualContext()
  let seen = Log<Outcome>()
  settling.settle(as: outcome) { promise in
    form.attach(to: promise, on: context) { outcome in
      seen.append(outcome)
      return 0
    }
    #expect(context.runUntilIdle() == 0)
    #expect(seen.entries == [])
  }
  context.runUntilIdle()
  #expect(seen.entries == [outcome])
}

/// 2.2.2.3 and 2.2.3.3: called once, though the owner settles again and two threads run its job.
func expectCalledOnceOnly(_ form: Form, _ outcome: Outcome, _ settling: Settling) throws {
  let context = ManualContext()
  let seen = Log<Outcome>()
  let deferred = Deferred<Int>()
  settling.settle(deferred, with: outcome.result) {
    form.attach(to: deferred.promise, on: context) { outcome in
      seen.append(outcome)
      return 0
    }
  }
  deferred.settle(outcome.result)
  let job = try #require(context.takeFirst())
  race([{ job.run() }, { job.run() }])
  job.run()
  deferred.settle(outcome.result)
  #expect(context.runUntilIdle() == 0)
  #expect(seen.entries == [outcome])
}

/// 2.2.2.3 and 2.2.3.3: handlers attached at three times: before the settlement, after it, and after the first has run.
func expectEachCalledOnce(_ outcome: Outcome, _ settling: Settling) {
  let context = ManualContext()
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

/// 2.2.1, 2.2.7.3 and 2.2.7.4: without a handler for it the outcome is the derived promise's own, without a hop.
func expectPassedThrough(_ form: Form, _ outcome: Outcome, _ settling: Settling, links: Int = 1) {
  let context = ManualContext()
  let seen = Log<Outcome>()
  let derived = settling.settle(as: outcome) { promise in
    var derived = promise
    for _ in 0..<links {
      derived = form.attach(to: derived, on: context) { outcome in
        seen.append(outcome)
        return 9
      }
    }
    return derived
  }
  expect(derived, shows: outcome)
  #expect(context.runUntilIdle() == 0)
  #expect(seen.entries == [])
  expect(derived, shows: outcome)
}
