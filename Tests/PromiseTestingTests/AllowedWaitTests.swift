import Dispatch
import PromiseCombinators
import TestSupport
import Testing

@Suite("Waits that are allowed", .bounded) struct AllowedWaitTests {
  let queue = DispatchQueue(label: "the queue of one test")
  let other = DispatchQueue(label: "another queue")
  let owner = Deferred<Int>()

  @Test("A wait is allowed for a promise that another of its inputs may settle", .rule("3.4", "7.2"))
  func oneOfSeveral() async throws {
    let needed = owner.promise.map(on: queue) { $0 }
    let elsewhere = Deferred<Int>()
    let follower = Deferred<Int>()
    follower.follow(elsewhere.promise)
    follower.follow(needed)
    let reversed = Deferred<Int>()
    reversed.follow(needed)
    reversed.follow(elsewhere.promise)
    let race = Promise.race([needed, elsewhere.promise])
    for waited in [follower.promise, reversed.promise, race] {
      let error = try await WaitProbe.wait(on: queue) { waited }
      #expect(error?.caseName == "WaitError.timedOut", "the other may come first")
    }
    other.async { elsewhere.fulfill(2) }
    // The other queue settles all three promises. The test waits for one after the other.
    for waited in [follower.promise, reversed.promise, race] {
      #expect(try await WaitProbe.wait(on: queue, limit: .seconds(600)) { waited } == nil)
    }
    #expect(race.isFulfilled)
  }

  @Test("A wait for a settlement is allowed although a hook behind its source has not run", .rule("7.2", "2.11"))
  func hookBehindSource() async throws {
    let queue = queue
    let other = other
    let error = try await WaitProbe.wait(on: queue, limit: .seconds(600)) {
      let owner = Deferred<Int>()
      owner.onCancelThen(on: queue) { _ in Promise.fulfilled() }
      owner.promise.cancel()
      return owner.promise.recover(on: other) { _ in 1 }
    }
    #expect(error == nil)
  }

  @Test("A wait is allowed if its promise is settled or does not need the handler on the queue", .rule("7.2"))
  func notNeeded() async throws {
    let queue = queue
    let owner = owner
    let ran = Promise.fulfilled(1).map(on: queue) { $0 }
    _ = try await ran.value
    #expect(try await WaitProbe.wait(on: queue) { ran } == nil)
    #expect(
      try await WaitProbe.wait(on: queue) {
        let cancelled = owner.promise.map(on: queue) { $0 }
        cancelled.cancel()
        return cancelled
      } == nil)
    // The promise needs neither the handlers below it nor those beside it.
    let waited = Deferred<Int>()
    let below = waited.promise.map(on: queue) { $0 }
    let gate = Gate()
    other.async {
      gate.wait()
      waited.fulfill(1)
    }
    #expect(
      try await WaitProbe.wait(on: queue, limit: .seconds(600)) {
        gate.open()
        return waited.promise
      } == nil)
    #expect(try await below.value == 1)
  }

  @Test("A wait is allowed for handlers for errors, behind a handler that has returned, and to look", .rule("7.2"))
  func untilLimit() async throws {
    let queue = queue
    let owner = owner
    let ofErrors = try await WaitProbe.wait(on: queue) {
      owner.promise.catch(on: queue) { _ in }.recover(on: queue) { _ in 1 }
    }
    let adopter = Promise.fulfilled(1).then(on: queue) { _ in owner.promise }
    // Runs behind the handler.
    let ofAdopter = try await WaitProbe.wait(on: queue) { adopter }
    let reading = try await WaitProbe.wait(on: queue, limit: .zero) { owner.promise.map(on: queue) { $0 } }
    let timedOut = "WaitError.timedOut"
    #expect([ofErrors, ofAdopter, reading].map { $0?.caseName } == [timedOut, timedOut, timedOut])
  }

  @Test("A refused wait changes nothing, and the promise is settled once the queue is free", .rule("7.2"))
  func goesOn() async throws {
    let waited = Deferred<Int>()
    let derived = waited.promise.map(on: queue) { $0 + 1 }
    #expect(try await WaitProbe.wait(on: queue) { derived } != nil)
    waited.fulfill(1)
    #expect(try await derived.value == 2)
  }
}
