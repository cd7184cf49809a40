import Dispatch
import PromiseCombinators
import TestSupport
import Testing

// Debug builds refuse all waits of these tests. In release builds only the limit ends a wait for a queued handler, so
// the tests run in debug builds alone.
#if DEBUG
  @Suite("Waits that would block their own promise", .bounded)
  struct RefusedWaitTests {
    let queue = DispatchQueue(label: "the queue of one test")
    let other = DispatchQueue(label: "another queue")
    let concurrent = DispatchQueue(label: "readers and writers", attributes: .concurrent)
    /// An owner that never settles its promise.
    let owner = Deferred<Int>()

    /// Expects the wait to be refused. The message must begin with the handler, and name the queue and the site of a
    /// promise.
    private func expectRefused(
      _ error: WaitError?, naming line: Int, on name: String = "the queue of one test",
      at location: SourceLocation = #_sourceLocation
    ) {
      guard case .wouldBlock(let context, _, let handler)? = error else {
        Issue.record("not refused: \(String(describing: error))", sourceLocation: location)
        return
      }
      let text = error?.description ?? ""
      #expect(text.hasPrefix("\(handler) has to run first, on \(context), "), "\(text)", sourceLocation: location)
      #expect(context.contains(name) && text.contains(name), "\(text)", sourceLocation: location)
      #expect(text.contains("PromiseTestingTests/RefusedWaitTests.swift:\(line)"), "\(text)", sourceLocation: location)
    }

    // MARK: Places of the handler

    @Test("A wait is refused for a closure that run or Promise(on:) has queued on the caller's queue", .rule("7.2"))
    func queuedMaker() async throws {
      let queue = queue
      let run = try await WaitProbe.wait(on: queue) { Promise.run(on: queue) { 1 } }
      expectRefused(run, naming: #line - 1)
      let made = try await WaitProbe.wait(on: queue) { Promise(on: queue) { $0.fulfill(1) } }
      expectRefused(made, naming: #line - 1)
    }

    @Test(
      "A wait is refused for a handler further up the chain, attached or queued, even behind async links", .rule("7.2"),
      arguments: [false, true])
    func furtherUp(isQueued: Bool) async throws {
      let queue = queue
      let other = other
      let owner = owner
      let error = try await WaitProbe.wait(on: queue) {
        let first = isQueued ? Promise.fulfilled(1) : owner.promise
        return first.map(on: queue) { $0 }.map { $0 }.asyncMap { $0 }.recover { _ in 0 }.map(on: other) { $0 }
      }
      expectRefused(error, naming: #line - 2)
    }

    @Test("A wait for a finish is refused on the queue of a hook or cleanup that has not run", .rule("7.2", "2.11"))
    func finish() async throws {
      let queue = queue
      let hook = try await WaitProbe.wait(on: queue) {
        let owner = Deferred<Int>()
        owner.onCancelThen(on: queue) { _ in Promise.fulfilled() }
        owner.promise.cancel()
        return owner.promise.whenFinished().map { 1 }
      }
      expectRefused(hook, naming: #line - 4)
      let cleanup = try await WaitProbe.wait(on: queue) {
        let promise = Deferred<Int>().promise.alwaysThen(on: queue) { _ in Promise.fulfilled() }
        promise.cancel()
        return promise.asVoid().whenFinished().map { 1 }
      }
      expectRefused(cleanup, naming: #line - 4)
    }

    /// The ways in which the awaited promise depends on another promise.
    enum Dependence: CaseIterable { case follows, adopts, adoptsFurtherUp }

    @Test(
      "A wait is refused for an adopted or followed promise with a handler on the caller's queue", .rule("7.2"),
      arguments: Dependence.allCases)
    func adopted(_ dependence: Dependence) async throws {
      let inner = owner.promise.map(on: queue) { $0 }
      let line = #line - 1
      var waited: Promise<Int>
      if dependence == .follows {
        let follower = Deferred<Int>()
        follower.follow(inner)
        waited = follower.promise.map { $0 }
      } else {
        waited = Promise.fulfilled(1).then(on: other) { _ in inner }
        if dependence == .adoptsFurtherUp { waited = waited.map { $0 }.map(on: other) { $0 } }
        // Waits until the handler on the other queue has run.
        await withCheckedContinuation { continuation in other.async { continuation.resume() } }
      }
      let promise = waited
      expectRefused(try await WaitProbe.wait(on: queue) { promise }, naming: line)
    }

    @Test("A wait is refused before any time has passed, however short its limit", .rule("7.2"))
    func atOnce() {
      let waited = owner.promise.map(on: queue) { $0 }
      let line = #line - 1
      expectRefused(queue.sync { WaitProbe.wait(for: waited, limit: .nanoseconds(1)) }, naming: line)
    }

    @Test("A wait is refused even if its promise needs the queue only after the wait has begun", .rule("7.2"))
    func neededMeanwhile() {
      let inner = owner.promise.map(on: queue) { $0 }
      let follower = Deferred<Int>()
      let line = #line - 1
      let seen = Box<WaitError?>()
      race([
        { [queue] in seen.value = queue.sync { WaitProbe.wait(for: follower.promise, limit: .seconds(600)) } },
        {
          while !follower.promise.debugDescription.contains("1 consumer"), seen.value == nil {}
          follower.follow(inner)
        },
      ])
      expectRefused(seen.value ?? nil, naming: line)
    }

    // MARK: Kinds of callers

    @Test("A wait on a concurrent queue is refused for a handler that needs the queue to itself", .rule("7.2"))
    func barrier() async throws {
      let waited = owner.promise.map(on: concurrent) { $0 }
      let line = #line - 1
      expectRefused(try await WaitProbe.wait(on: concurrent) { waited }, naming: line, on: "readers and writers")
      // A handler of a reader keeps the writer out as well.
      expectRefused(
        try await WaitProbe.wait(on: .concurrent(concurrent)) { waited }, naming: line, on: "readers and writers")
    }

    @Test(
      "A wait in a barrier handler is refused for a reader on the same queue, even if only its handler retains its context",
      .rule("7.2"), arguments: [false, true])
    func readerBehindBarrier(isRetained: Bool) async throws {
      let concurrent = concurrent
      let kept = isRetained ? ConcurrentContext.concurrent(concurrent) : nil
      let error = try await WaitProbe.wait(on: concurrent) {
        Promise.fulfilled(1).map(on: kept ?? .concurrent(concurrent)) { $0 }
      }
      expectRefused(error, naming: #line - 2, on: "readers and writers")
    }

    @Test("A wait in a batch of barrier handlers is refused for a reader on the same concurrent queue", .rule("7.2"))
    func readerBehindBatch() async throws {
      let readers = ConcurrentContext.concurrent(concurrent)
      let source = Deferred<Int>()
      let seen = Box<WaitError>()
      let line = #line + 2
      let first = source.promise.map(on: concurrent) { _ in
        seen.value = WaitProbe.wait(for: Promise.fulfilled(1).map(on: readers) { $0 })
      }
      let second = source.promise.map(on: concurrent) { $0 }
      source.fulfill(1)
      _ = try await (first.value, second.value)
      expectRefused(seen.value, naming: line, on: "readers and writers")
    }

    @Test(
      "A wait in a handler on an actor is refused for a handler that is attached or queued there", .rule("7.2"),
      arguments: [false, true])
    func onActor(isQueued: Bool) async throws {
      actor Account {}
      let account = Account()
      let owner = owner
      let seen = Box<WaitError>()
      let line = #line + 3
      let handler = Promise.fulfilled(1).map(isolatedTo: account) { account, _ in
        let source = isQueued ? Promise.fulfilled(1) : owner.promise
        let waited = source.map(isolatedTo: account) { _, value in value }
        seen.value = WaitProbe.wait(for: waited)
      }
      try await handler.value
      expectRefused(seen.value, naming: line, on: "Account")
    }
  }
#endif
