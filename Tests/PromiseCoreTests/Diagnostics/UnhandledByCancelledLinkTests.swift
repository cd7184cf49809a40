import PromiseCore
import TestSupport
import Testing

/// Tests which promise has the duty to handle a rejection (rule 7.1) if a client cancels just as the work fails.
@Suite("Unhandled rejections: cancelled consumers")
struct UnhandledByCancelledLinkTests {
  private let context = ManualContext()

  @Test(
    "A link that is cancelled after its source was rejected takes the duty, although its handler does not run",
    .rule("7.1"), arguments: [LinkKind.recover, .rescue, .mapError])
  func cancelledAfterRejection(_ kind: LinkKind) {
    expectUnhandled([]) {
      let owner = Deferred<Int>(line: 1)
      let end = kind.attach(to: owner.promise.map(on: context, line: 2) { $0 }, on: context, giving: 1) {}
      owner.reject(TestError(1))
      end.cancel(upstream: true)
      context.runUntilIdle()
      #expect(end.isCancelled)
    }
  }

  @Test(
    "An owner that was cancelled takes the duty for a rejected promise that it follows too late", .rule("7.1", "3.1"))
  func followedTooLate() {
    expectUnhandled([]) {
      let owner = Deferred<Int>()
      owner.promise.cancel()
      owner.follow(.rejected(TestError(1)))
    }
  }

  @Test("An owner that was fulfilled leaves the duty for a rejected promise that it follows too late", .rule("7.1"))
  func followedAfterValue() {
    expectUnhandled([Unhandled(1, line: 1)]) {
      let owner = Deferred<Int>()
      owner.fulfill(1)
      owner.follow(.rejected(TestError(1), line: 1))
    }
  }

  /// Makes a ring of promises that follow each other.
  private func ring(of size: Int) -> [Deferred<Int>] {
    let owners = (1...size).map { Deferred<Int>(line: UInt($0)) }
    for (index, owner) in owners.enumerated() { owner.follow(owners[(index + 1) % size].promise) }
    return owners
  }

  @Test("The promises of a ring report its error once", .rule("7.1", "3.2"), arguments: [1, 2, 5])
  func ring(size: Int) {
    let reports = Reports.unhandled { _ = ring(of: size) }
    #expect(reports.map(\.error) == ["cycle"])
  }

  @Test("A link below a ring that is handled keeps its own duty", .rule("7.1", "3.2"))
  func belowRing() {
    expectUnhandled([Unhandled("cycle", line: 12)]) {
      let owners = ring(of: 2)
      owners[0].promise.catch(on: context) { _ in }
      _ = owners[1].promise.map(on: context, line: 11) { $0 }.map(on: context, line: 12) { $0 }
      context.runUntilIdle()
    }
  }

  @Test("An `always` that is cancelled after its source was rejected takes the duty", .rule("7.1"))
  func cancelledAlways() {
    expectUnhandled([]) {
      Promise<Int>.rejected(TestError(1)).always(on: context) { _ in }.cancel()
      context.runUntilIdle()
    }
  }

  @Test(
    "A ring through a promise that a handler returned reports nothing if its error was handled", .rule("7.1", "3.2"))
  func handledRingOfAdopter() {
    expectUnhandled([]) {
      let owner = Deferred<Int>(line: 1)
      let adopter = Promise.fulfilled(1).then(on: context, line: 2) { [promise = owner.promise] _ in promise }
      adopter.onSettled(on: context) { _ in }
      owner.follow(adopter)
      context.runUntilIdle()
    }
  }

  @Test(
    "A ring reports nothing if the error of any of its promises was handled", .rule("7.1", "3.2"),
    arguments: [2, 5])
  func handledRing(size: Int) {
    for handled in 0..<size {
      expectUnhandled([], "handled: \(handled)") {
        let owners = ring(of: size)
        owners[handled].promise.catch(on: context) { _ in }
        context.runUntilIdle()
      }
    }
  }

  @Test(
    "A consumer that has left does not handle the rejection of its source, except catch", .rule("7.1"),
    arguments: [Consumer.link, .tap, .catch, .recover, .follower, .adopter, .waiter, .shield])
  func left(_ consumer: Consumer) {
    let executor = ManualExecutor()
    let reports = Reports.unhandled {
      let deferred = Deferred<Int>(line: 1)
      // Keeps the promise pending, and handles no rejection.
      deferred.promise.onFulfilled(on: context) { _ in }
      let kept = consumer.attach(to: deferred.promise, on: context, awaiting: executor)
      kept.promise?.cancel()
      kept.task?.cancel()
      executor.runUntilIdle()
      #expect(deferred.reject(TestError(1)))
      context.runUntilIdle()
    }
    // `tap` and `catch` stay attached although their promises were cancelled. `tap` hands the duty to handle the
    // rejection to its promise, which no consumer reads. `catch` handles it.
    #expect(reports.map(\.error) == (consumer == .catch ? [] : ["1"]))
  }
}
