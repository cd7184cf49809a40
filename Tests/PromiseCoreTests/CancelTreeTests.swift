import PromiseCore
import TestSupport
import Testing

// Cancellation of trees, seen from the engine; the contract is in `Cancellation`.

private let reason = TestError(7)

extension Result {
  fileprivate func isFailure(_ error: TestError) -> Bool {
    if case .failure(let failure as TestError) = self { return failure == error }
    return false
  }
}

private func isCancelled(_ promise: AnyPromise) -> Bool { promise.isCancelled && promise.isRejected }

@Test("rule 4.2: a cancel settles every pending descendant, and no ancestor or sibling")
func cancelSettlesDescendants() {
  let context = ManualContext()
  let deferred = Deferred<Int>()
  let a = deferred.promise.map(on: context) { $0 }
  let sibling = deferred.promise.map(on: context) { $0 }
  let b = a.map(on: context) { $0 }
  let c = b.recover(on: context) { _ in 0 }
  let d = c.always(on: context) { _ in }
  a.cancel(reason: reason)
  #expect([a, b, c, d].allSatisfy(isCancelled))
  #expect(deferred.promise.isPending && sibling.isPending)
}

@Test("rule 4.2: a cancel reaches what is pending below settled promises", arguments: [false, true])
func cancelReachesThroughSettled(keepsMiddle: Bool) {
  let context = ManualContext()
  let deferred = Deferred<Int>()
  let top = deferred.promise
  var middle: Promise<Int>? = top.map(on: context) { $0 }
  let first = middle!.map(on: context) { $0 }
  let second = middle!.map(on: context) { $0 }
  let below = second.map(on: context) { $0 }
  if !keepsMiddle { middle = nil }
  deferred.fulfill(1)
  context.step()
  #expect(first.isPending && second.isPending)
  top.cancel(reason: reason)
  #expect([first, second, below].allSatisfy(isCancelled))
  #expect(top.isFulfilled)
  #expect(middle?.isFulfilled != false)
}

@Test("rule 4.2: a cancel of a settled promise spares what is beside it, below the same ancestor")
func cancelSparesBeside() {
  let context = ManualContext()
  let deferred = Deferred<Int>()
  let left = deferred.promise.map(on: context) { $0 }
  let right = deferred.promise.map(on: context) { $0 }
  let belowLeft = left.map(on: context) { $0 }
  let belowRight = right.map(on: context) { $0 }
  deferred.fulfill(1)
  context.step()
  context.step()
  #expect(left.isFulfilled && right.isFulfilled)
  left.cancel(reason: reason)
  #expect(isCancelled(belowLeft) && belowRight.isPending)
  deferred.promise.cancel(reason: reason)
  #expect(isCancelled(belowRight))
}

@Test("rules 4.0, 4.2: below a promise that was followed is what waits for its follower")
func cancelReachesThroughFollower() {
  let context = ManualContext()
  let inner = Deferred<Int>()
  let outer = Deferred<Int>()
  outer.follow(inner.promise)
  let below = outer.promise.map(on: context) { $0 }
  inner.fulfill(1)
  #expect(below.isPending)
  inner.promise.cancel(reason: reason)
  #expect(isCancelled(below))
}

@Test(
  "rules 4.0, 4.2: below an adopted promise is what waits for the promise that adopted it", arguments: [false, true])
func cancelReachesThroughAdopter(isSettled: Bool) {
  let context = ManualContext()
  let source = Deferred<Int>()
  let inner = Deferred<Int>()
  let adopter = source.promise.then(on: context) { _ in inner.promise }
  let below = adopter.map(on: context) { $0 }
  if isSettled { inner.fulfill(1) }
  source.fulfill(1)
  context.step()
  if !isSettled { inner.fulfill(1) }
  #expect(below.isPending && adopter.isFulfilled)
  (isSettled ? source.promise : inner.promise).cancel(reason: reason)
  #expect(isCancelled(below))
}

@Test("rule 4.4: cancelling what has adopted a promise cancels that promise if nobody else wants it")
func cancelTravelsToAdopted() {
  let context = ManualContext()
  let source = Deferred<Int>()
  let inner = Deferred<Int>()
  let shared = Deferred<Int>()
  let adopter = source.promise.then(on: context) { _ in inner.promise }
  let other = source.promise.then(on: context) { _ in shared.promise }
  let consumer = shared.promise.map(on: context) { $0 }
  source.fulfill(1)
  context.runUntilIdle()
  adopter.cancel(reason: reason)
  other.cancel(reason: reason)
  #expect(isCancelled(inner.promise))
  #expect(shared.promise.isPending && consumer.isPending && isCancelled(other))
}

@Test("rule 4.4: a promise that a running handler returns after the cancel counts as adopted and cancelled")
func cancelBeforeAdoption() {
  let context = ManualContext()
  let source = Deferred<Int>()
  let inner = Deferred<Int>()
  let slot = Log<Promise<Int>>()
  let adopter = source.promise.then(on: context) { _ in
    slot.entries[0].cancel(reason: reason)
    return inner.promise
  }
  slot.append(adopter)
  source.fulfill(1)
  context.step()
  #expect(isCancelled(adopter) && isCancelled(inner.promise))
}

@Test("rule 2.5: a handler that has not started never runs, and is released before the cancel returns")
func cancelReleasesHandler() {
  let context = ManualContext()
  let census = Tracked.Census()
  let log = Log<String>()
  let source = Deferred<Int>()
  let waiting = source.promise.map(on: context) { [tracked = Tracked(census)] _ in
    log.append("waiting \(tracked)")
  }
  waiting.cancel(reason: reason)
  #expect(census.living == 0)
  let queued = Promise.fulfilled(1).map(on: context) { [tracked = Tracked(census)] _ in
    log.append("queued \(tracked)")
  }
  queued.cancel(reason: reason)
  #expect(census.living == 0)
  source.fulfill(1)
  context.runUntilIdle()
  #expect(log.entries == [])
}

@Test("rule 2.5: always runs once with the reason, catch only if its own promise is rejected")
func cancelRunsAlways() {
  let context = ManualContext()
  let log = Log<String>()
  let source = Deferred<Int>()
  let always = source.promise.always(on: context) { log.append($0.isFailure(reason) ? "always" : "wrong") }
  let caught = source.promise.catch(on: context) { _ in log.append("catch") }
  always.cancel(reason: reason)
  caught.cancel(reason: reason)
  context.runUntilIdle()
  #expect(log.entries == ["always"])
  source.reject(TestError(1))
  context.runUntilIdle()
  #expect(log.entries == ["always", "catch"])
}

@Test("rule 4.9: 100,000 cancelled links on one pending promise release what they captured")
func cancelledLinksArePruned() {
  let context = ManualContext()
  let census = Tracked.Census()
  let source = Deferred<Int>()
  for _ in 0..<100_000 {
    source.promise.tap(on: context) { [tracked = Tracked(census)] _ in _ = tracked }.cancel(reason: reason)
    #expect(census.living == 0)
  }
  source.fulfill(1)
  #expect(context.count == 0)
}

@Test("rule 6.1: 100,000 short-lived links on a settled promise leave no trace")
func settledPromiseKeepsNothing() {
  let context = ManualContext()
  let census = Tracked.Census()
  let source = Promise.fulfilled(1)
  let held = source.map(on: context) { $0 }
  for _ in 0..<100_000 {
    source.map(on: context) { [tracked = Tracked(census)] _ in _ = tracked }.onSettled(on: context) { _ in }
    context.runUntilIdle()
  }
  #expect(census.living == 0 && census.peak <= 2)
  _ = held
}

@Test("rule 4.2: a chain of 100,000 links is cancelled in a loop")
func cancelDeepTree() {
  let context = ManualContext()
  let source = Deferred<Int>()
  var last = source.promise
  for _ in 0..<100_000 { last = last.map(on: context) { $0 } }
  source.promise.cancel(reason: reason)
  #expect(isCancelled(last))
}
