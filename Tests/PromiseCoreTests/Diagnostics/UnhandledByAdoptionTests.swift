import PromiseCore
import TestSupport
import Testing

/// Unhandled rejections of promises that are adopted, bypassed or cancelled before they are released.
@Suite("Unhandled rejections: adopted and detached promises")
struct UnhandledByAdoptionTests {
  private let context = ManualContext()

  @Test(
    "An adopter takes over the duty of pending and of settled promises", .rule("2.6", "7.1"), arguments: [false, true])
  func adopted(isSettled: Bool) {
    expectUnhandled([Unhandled(1, line: 2)]) {
      let inner = Deferred<Int>(line: 1)
      if isSettled { inner.reject(TestError(1)) }
      _ = Promise.fulfilled(0).then(on: context, line: 2) { _ in inner.promise }
      context.runUntilIdle()
      inner.reject(TestError(1))
    }
    expectUnhandled([]) {
      let inner = Promise<Int>.rejected(TestError(1), line: 1)
      Promise.fulfilled(0).then(on: context, line: 2) { _ in inner }.onRejected(on: context) { _ in }
      context.runUntilIdle()
    }
  }

  @Test("A followed promise that loses to another keeps its duty", .rule("3.4", "7.1"))
  func followedSecond() {
    expectUnhandled([Unhandled(2, line: 2)]) {
      let inner = [Deferred<Int>(line: 1), Deferred<Int>(line: 2)]
      let deferred = Deferred<Int>(line: 3)
      for each in inner { deferred.follow(each.promise) }
      inner[0].fulfill(1)
      inner[1].reject(TestError(2))
    }
  }

  @Test(
    "A followed promise that loses keeps its duty even if the call that settles the follower also rejects it",
    .rule("3.4", "7.1"))
  func followedSecondAtOnce() {
    expectUnhandled([Unhandled("contextDropped", line: 2)]) {
      let first = Deferred<Int>()
      let deferred = Deferred<Int>()
      deferred.follow(first.promise)
      deferred.follow(first.promise.recover(on: DroppingContext(), line: 2) { _ in 1 })
      first.reject(CancellationError())
      #expect(deferred.promise.isCancelled)
    }
  }

  @Test(
    "A rejected promise that a handler returns to a promise cancelled meanwhile is not reported", .rule("4.4", "7.1"))
  func returnedAfterCancel() {
    expectUnhandled([]) {
      let derived = Locked<Promise<Int>?>(nil)
      let promise = Promise.fulfilled(0).then(on: context) { _ in
        derived.withLock { $0 }?.cancel()
        return Promise<Int>.rejected(TestError(1))
      }
      derived.withLock { $0 = promise }
      context.runUntilIdle()
      #expect(promise.isCancelled)
      withExtendedLifetime(derived.withLock { $0.take() }) {}
    }
  }

  @Test(
    "A loop that ends in an error reports it once, at the outermost promise", .rule("3.3", "7.1"),
    arguments: [false, true])
  func collapsed(isPending: Bool) {
    expectUnhandled(isPending ? [Unhandled(1, line: 3)] : [Unhandled(1, line: 3), Unhandled(1, line: 1)]) {
      let last = Deferred<Int>(line: 1)
      @Sendable func step(_ count: Int) -> Promise<Int> {
        if count == 0 { return isPending ? last.promise : .rejected(TestError(1), line: 1) }
        return Promise.fulfilled(count).then(on: context, line: 2) { step($0 - 1) }
      }
      _ = Promise.fulfilled(0).then(on: context, line: 3) { _ in step(100) }
      context.runUntilIdle()
      last.reject(TestError(1))
    }
  }

  @Test("Cancelled links that were pruned take over no duty", .rule("4.9", "7.1"))
  func pruned() {
    expectUnhandled([Unhandled(1, line: 1)]) {
      let deferred = Deferred<Int>(line: 1)
      for _ in 0..<100 { deferred.promise.map(on: context, line: 2) { $0 }.cancel() }
      deferred.reject(TestError(1))
      context.runUntilIdle()
    }
  }

  @Test("A ring through a link is reported once, at the link", .rule("3.2", "7.1"))
  func ring() {
    expectUnhandled([Unhandled("cycle", line: 2)]) {
      let deferred = Deferred<Int>(line: 1)
      deferred.follow(deferred.promise.map(on: context, line: 2) { $0 })
    }
  }

  @Test("A cancelled tree of promises reports nothing", .rule("4.2", "4.6", "7.1"))
  func cancelledTree() {
    expectUnhandled([]) {
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
  }

  @Test("The error of a deallocated owner is reported once, at the link that waits for it", .rule("6.2", "7.1"))
  func brokenOwner() {
    expectUnhandled([Unhandled("broken", line: 2)]) {
      _ = Deferred<Int>(line: 1).promise.map(on: context, line: 2) { $0 }
      Deferred<Int>(line: 3).promise.catch(on: context, line: 4) { _ in }
      context.runUntilIdle()
    }
  }

  @Test("A long chain that no client holds reports its error once, at its end", .rule("4.9", "7.1"))
  func longChain() {
    expectUnhandled([Unhandled(1, line: 1_000)]) {
      let deferred = Deferred<Int>(line: 1)
      var promise = deferred.promise
      for line in 2...1_000 { promise = promise.map(on: context, line: UInt(line)) { $0 } }
      promise = .fulfilled(0)
      deferred.reject(TestError(1))
    }
  }
}
