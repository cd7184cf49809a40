import PromiseCore
import TestSupport
import Testing

/// What is adopted, collapsed, cancelled or pruned in between: row N6 in the corners of the engine.
@Suite("Unhandled rejections, adopted and detached")
struct UnhandledByAdoptionTests {
  private let context = ManualContext()

  @Test("rules 2.6 7.1: an adopter takes the duty over, of pending and of settled promises", arguments: [false, true])
  func adopted(isSettled: Bool) {
    let reports = Reports.unhandled {
      let inner = Deferred<Int>(line: 1)
      if isSettled { inner.reject(TestError(1)) }
      _ = Promise.fulfilled(0).then(on: context, line: 2) { _ in inner.promise }
      context.runUntilIdle()
      inner.reject(TestError(1))
    }
    #expect(reports == [Unhandled(1, line: 2)])
    let looked = Reports.unhandled {
      let inner = Promise<Int>.rejected(TestError(1), line: 1)
      Promise.fulfilled(0).then(on: context, line: 2) { _ in inner }.onRejected(on: context) { _ in }
      context.runUntilIdle()
    }
    #expect(looked == [])
  }

  @Test("rules 3.4 7.1: of several that are followed, the one that lost keeps its duty")
  func followedSecond() {
    let reports = Reports.unhandled {
      let inner = [Deferred<Int>(line: 1), Deferred<Int>(line: 2)]
      let deferred = Deferred<Int>(line: 3)
      for each in inner { deferred.follow(each.promise) }
      inner[0].fulfill(1)
      inner[1].reject(TestError(2))
    }
    #expect(reports == [Unhandled(2, line: 2)])
  }

  @Test("rules 3.4 7.1: so does the one that is rejected by the same call, before what lost it is published")
  func followedSecondAtOnce() {
    let reports = Reports.unhandled {
      let first = Deferred<Int>()
      let deferred = Deferred<Int>()
      deferred.follow(first.promise)
      deferred.follow(first.promise.recover(on: DroppingContext(), line: 2) { _ in 1 })
      first.reject(CancellationError())
      #expect(deferred.promise.isCancelled)
    }
    #expect(reports == [Unhandled("contextDropped", line: 2)])
  }

  @Test("rules 4.4 7.1: what a handler returns to a promise that was cancelled meanwhile is of no interest")
  func returnedAfterCancel() {
    let reports = Reports.unhandled {
      let derived = Locked<Promise<Int>?>(nil)
      let promise = Promise.fulfilled(0).then(on: context) { _ in
        derived.withLock { $0 }?.cancel()
        return Promise<Int>.rejected(TestError(1))
      }
      derived.withLock { $0 = promise }
      context.runUntilIdle()
      #expect(promise.isCancelled)
      let held = derived.withLock { held in
        defer { held = nil }
        return held
      }
      withExtendedLifetime(held) {}
    }
    #expect(reports == [])
  }

  @Test(
    "rules 3.3 7.1: a loop that ends in an error reports it once, for the outermost promise", arguments: [false, true])
  func collapsed(isPending: Bool) {
    let reports = Reports.unhandled {
      let last = Deferred<Int>(line: 1)
      @Sendable func step(_ count: Int) -> Promise<Int> {
        if count == 0 { return isPending ? last.promise : .rejected(TestError(1), line: 1) }
        return Promise.fulfilled(count).then(on: context, line: 2) { step($0 - 1) }
      }
      _ = Promise.fulfilled(0).then(on: context, line: 3) { _ in step(100) }
      context.runUntilIdle()
      last.reject(TestError(1))
    }
    #expect(reports == (isPending ? [Unhandled(1, line: 3)] : [Unhandled(1, line: 3), Unhandled(1, line: 1)]))
  }

  @Test("rules 4.9 7.1: links that left, pruned or not, took no duty with them", arguments: [1, 100])
  func pruned(count: Int) {
    let reports = Reports.unhandled {
      let deferred = Deferred<Int>(line: 1)
      for _ in 0..<count { deferred.promise.map(on: context, line: 2) { $0 }.cancel() }
      deferred.reject(TestError(1))
      context.runUntilIdle()
    }
    #expect(reports == [Unhandled(1, line: 1)])
  }

  @Test("rules 3.2 7.1: a ring is reported where it was closed, and what waited for it where it ends")
  func ring() {
    let reports = Reports.unhandled {
      let deferred = Deferred<Int>(line: 1)
      deferred.follow(deferred.promise.map(on: context, line: 2) { $0 })
    }
    #expect(reports == [Unhandled("cycle", line: 2)])
    let itself = Reports.unhandled {
      let deferred = Deferred<Int>(line: 1)
      deferred.follow(deferred.promise)
    }
    #expect(itself == [Unhandled("cycle", line: 1)])
  }

  @Test("rules 4.2 4.6 7.1: a cancelled tree is silent, whatever hangs below")
  func cancelledTree() {
    let reports = Reports.unhandled {
      let (root, other) = (Deferred<Int>(), Deferred<Int>())
      for kind in LinkKind.links where kind != .mapError {
        _ = kind.attach(to: kind.attach(to: root.promise, on: context, giving: 0) {}, on: context, giving: 0) {}
      }
      let follower = Deferred<Int>()
      follower.follow(root.promise)
      let adopter = Promise.fulfilled(0).then(on: context) { _ in root.promise.shielded() }
      context.runUntilIdle()
      root.promise.cancel(reason: TestError(1))
      adopter.map(on: context) { $0 }.cancel(upstream: true)
      other.promise.map(on: context) { $0 }.cancel(upstream: true)
      context.runUntilIdle()
    }
    #expect(reports == [])
  }

  @Test("rules 6.2 7.1: a broken owner is reported by what waits for it, not twice")
  func brokenOwner() {
    let reports = Reports.unhandled {
      _ = Deferred<Int>(line: 1).promise.map(on: context, line: 2) { $0 }
      Deferred<Int>(line: 3).promise.catch(on: context, line: 4) { _ in }
      context.runUntilIdle()
    }
    #expect(reports == [Unhandled("broken", line: 2)])
  }

  @Test("rules 4.9 7.1: a long chain that nobody holds reports one error, at its end")
  func longChain() {
    let reports = Reports.unhandled {
      let deferred = Deferred<Int>(line: 1)
      var promise = deferred.promise
      for line in 2...1_000 { promise = promise.map(on: context, line: UInt(line)) { $0 } }
      promise = .fulfilled(0)
      deferred.reject(TestError(1))
    }
    #expect(reports == [Unhandled(1, line: 1_000)])
  }
}
