import PromiseCore
import TestSupport
import Testing

// The clauses 2.2.2 and 2.2.3, and 2.2.7.3 and 2.2.7.4, say the same about values and about errors. These functions
// check both.

/// 2.2.2.1, 2.2.3.1, 2.2.2.3 and 2.2.3.3: checks that the form calls its handler once, after the settlement, with the
/// value or the error.
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

/// 2.2.2.2 and 2.2.3.2: checks that the handler is not called as long as the promise is pending.
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

/// 2.2.2.3 and 2.2.3.3: checks that the handler is called once although the owner settles again and two threads run its
/// job.
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

/// 2.2.2.3 and 2.2.3.3: checks handlers that are attached before the settlement, after it, and after other handlers
/// have run.
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

/// 2.2.1, 2.2.7.3 and 2.2.7.4: checks that a derived promise without a handler for the outcome has that outcome without
/// a hop.
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
