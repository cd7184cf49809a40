import Dispatch
import PromiseCombinators
import PromiseContexts
import TestSupport
import Testing

// What a limit would end in release builds (handlers that are queued) is refused in debug builds; and all of them are tested there.
#if DEBUG
  @Suite("Waits that would block what they wait for", .bounded)
  struct RefusedWaitTests {
    let queue = DispatchQueue(label: "the queue of one test")
    let other = DispatchQueue(label: "another queue")
    /// Never fulfilled: what waits for it waits for ever.
    let owner = Deferred<Int>()

    /// Refused, and the message names the queue, and the place of a promise.
    private func expectRefused(
      _ error: WaitError?, naming line: Int, on name: String = "the queue of one test",
      at location: SourceLocation = #_sourceLocation
    ) {
      guard case .wouldBlock(let context, _, _)? = error else {
        Issue.record("not refused: \(String(describing: error))", sourceLocation: location)
        return
      }
      let text = error?.description ?? ""
      #expect(context.contains(name) && text.contains(name), "\(text)", sourceLocation: location)
      #expect(text.contains("PromiseTestingTests/RefusedWaitTests.swift:\(line)"), "\(text)", sourceLocation: location)
    }

    // MARK: Where the handler is

    @Test("rule 7.2: a handler that is attached to a pending promise, on the queue of the one who waits")
    func attached() async throws {
      let waited = owner.promise.map(on: queue) { $0 }
      let line = #line - 1
      expectRefused(try await WaitProbe.wait(on: queue) { waited }, naming: line)
    }

    @Test("rule 7.2: a handler that is queued already, behind the one who waits")
    func queued() async throws {
      let queue = queue
      let error = try await WaitProbe.wait(on: queue) { Promise.fulfilled(1).map(on: queue) { $0 } }
      expectRefused(error, naming: #line - 1)
    }

    @Test("rule 7.2: a closure that Promise.run, or Promise(on:), has queued there")
    func queuedMaker() async throws {
      let queue = queue
      let run = try await WaitProbe.wait(on: queue) { Promise.run(on: queue) { 1 } }
      expectRefused(run, naming: #line - 1)
      let made = try await WaitProbe.wait(on: queue) { Promise(on: queue) { $0.fulfill(1) } }
      expectRefused(made, naming: #line - 1)
    }

    @Test("rule 7.2: a handler further up the chain, attached or queued", arguments: [false, true])
    func furtherUp(isQueued: Bool) async throws {
      let (queue, other, owner) = (queue, other, owner)
      let error = try await WaitProbe.wait(on: queue) {
        let first = isQueued ? Promise.fulfilled(1) : owner.promise
        return first.map(on: queue) { $0 }.map { $0 }.recover { _ in 0 }.map(on: other) { $0 }
      }
      expectRefused(error, naming: #line - 2)
    }

    @Test(
      "rule 7.2: a handler in a promise that a handler returned, or that an owner follows", arguments: [false, true])
    func adopted(isFollowing: Bool) async throws {
      let inner = owner.promise.map(on: queue) { $0 }
      let line = #line - 1
      let waited: Promise<Int>
      if isFollowing {
        let follower = Deferred<Int>()
        follower.follow(inner)
        waited = follower.promise.map { $0 }
      } else {
        waited = Promise.fulfilled(1).then(on: other) { _ in inner }
        // Behind that handler.
        await withCheckedContinuation { continuation in other.async { continuation.resume() } }
      }
      expectRefused(try await WaitProbe.wait(on: queue) { waited }, naming: line)
    }

    @Test("rule 7.2: an async link behind a handler on the queue")
    func asyncLink() async throws {
      let waited = owner.promise.map(on: queue) { $0 }.asyncMap { $0 }
      let line = #line - 1
      expectRefused(try await WaitProbe.wait(on: queue) { waited }, naming: line)
    }

    @Test("rule 7.2: refused before any time has passed, however short the limit")
    func atOnce() {
      let waited = owner.promise.map(on: queue) { $0 }
      let line = #line - 1
      expectRefused(queue.sync { WaitProbe.wait(for: waited, limit: .nanoseconds(1)) }, naming: line)
    }

    @Test("rule 7.2: a promise that needs the queue only since a wait for it has begun")
    func neededMeanwhile() {
      let (inner, follower) = (owner.promise.map(on: queue) { $0 }, Deferred<Int>())
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

    @Test("rule 7.2: a handler in a promise that a handler further up the chain returned")
    func adoptedFurtherUp() async throws {
      let inner = owner.promise.map(on: queue) { $0 }
      let line = #line - 1
      let waited = Promise.fulfilled(1).then(on: other) { _ in inner }.map { $0 }.map(on: other) { $0 }
      // Behind that handler.
      await withCheckedContinuation { continuation in other.async { continuation.resume() } }
      expectRefused(try await WaitProbe.wait(on: queue) { waited }, naming: line)
    }

    @Test("rule 7.2: a handler of an input without which a combinator has no result")
    func neededInput() async throws {
      let inner = owner.promise.map(on: queue) { $0 }
      let line = #line - 1
      let (all, settled) = (Promise.all([.fulfilled(1), inner]), Promise.allSettled([inner]))
      expectRefused(try await WaitProbe.wait(on: queue) { all.map(on: .global()) { $0[0] } }, naming: line)
      expectRefused(try await WaitProbe.wait(on: queue) { settled.map(on: .global()) { $0.count } }, naming: line)
    }

    // MARK: Who waits

    @Test("rule 7.2: code in queue.sync occupies the queue as a handler does")
    func sync() {
      let waited = owner.promise.map(on: queue) { $0 }
      let line = #line - 1
      expectRefused(queue.sync { WaitProbe.wait(for: waited) }, naming: line)
      expectRefused(other.sync { queue.sync { WaitProbe.wait(for: waited) } }, naming: line)
    }

    @Test("rule 7.2: of a queue.sync around the sync of another Dispatch says nothing: the limit ends the wait")
    func syncBelowSync() {
      let waited = owner.promise.map(on: queue) { $0 }
      guard case .timedOut? = queue.sync(execute: { other.sync { WaitProbe.wait(for: waited) } }) else {
        Issue.record("expected: timedOut")
        return
      }
    }

    @Test("rule 7.2: on a queue whose target is the other's")
    func target() async throws {
      let child = DispatchQueue(label: "child", target: queue)
      let waited = owner.promise.map(on: queue) { $0 }
      let line = #line - 1
      expectRefused(try await WaitProbe.wait(on: child) { waited }, naming: line)
    }

    @Test("rule 7.2: a handler that has a concurrent queue to itself waits for another that needs it so")
    func barrier() async throws {
      let concurrent = DispatchQueue(label: "readers and writers", attributes: .concurrent)
      let waited = owner.promise.map(on: concurrent) { $0 }
      let line = #line - 1
      expectRefused(try await WaitProbe.wait(on: concurrent) { waited }, naming: line, on: "readers and writers")
      // A reader keeps the writer out as well.
      expectRefused(
        try await WaitProbe.wait(on: .concurrent(concurrent)) { waited }, naming: line, on: "readers and writers")
    }

    @Test("rule 7.2: a handler that has a concurrent queue to itself keeps readers out")
    func readerBehindBarrier() async throws {
      let concurrent = DispatchQueue(label: "readers and writers", attributes: .concurrent)
      let readers = ConcurrentContext.concurrent(concurrent)
      let error = try await WaitProbe.wait(on: concurrent) { Promise.fulfilled(1).map(on: readers) { $0 } }
      expectRefused(error, naming: #line - 1, on: "readers and writers")
    }

    @Test("rule 7.2: also a reader on a context that nobody but its handler keeps")
    func readerOnContextOfItsOwn() async throws {
      let concurrent = DispatchQueue(label: "readers and writers", attributes: .concurrent)
      let error = try await WaitProbe.wait(on: concurrent) {
        Promise.fulfilled(1).map(on: .concurrent(concurrent)) { $0 }
      }
      expectRefused(error, naming: #line - 2, on: "readers and writers")
    }

    @Test(
      "rule 7.2: handlers of one settlement, which have a concurrent queue to themselves together, keep readers out")
    func readerBehindBatch() async throws {
      let concurrent = DispatchQueue(label: "readers and writers", attributes: .concurrent)
      let readers = ConcurrentContext.concurrent(concurrent)
      let (source, seen) = (Deferred<Int>(), Box<WaitError>())
      let line = #line + 2
      let first = source.promise.map(on: concurrent) { _ in
        seen.value = WaitProbe.wait(for: Promise.fulfilled(1).map(on: readers) { $0 })
      }
      let second = source.promise.map(on: concurrent) { $0 }
      source.fulfill(1)
      _ = try await (first.value, second.value)
      expectRefused(seen.value, naming: line, on: "readers and writers")
    }

    /// What a wait ends with in a handler on an actor, for another there, and the line of that one.
    private func waitOnActor(isQueued: Bool) async throws -> (error: WaitError?, line: Int) {
      actor Account {}
      let (account, owner) = (Account(), owner)
      let seen = Box<WaitError>()
      let line = #line + 3
      let handler = Promise.fulfilled(1).map(isolatedTo: account) { account, _ in
        let source = isQueued ? Promise.fulfilled(1) : owner.promise
        let waited = source.map(isolatedTo: account) { _, value in value }
        seen.value = WaitProbe.wait(for: waited)
      }
      try await handler.value
      return (seen.value, line)
    }

    @Test("rule 7.2: a handler on an actor waits for one that is attached to be run there")
    func attachedOnActor() async throws {
      let (error, line) = try await waitOnActor(isQueued: false)
      expectRefused(error, naming: line, on: "Account")
    }

    @Test("rule 7.2: a handler on an actor waits for one that is queued there")
    func queuedOnActor() async throws {
      let (error, line) = try await waitOnActor(isQueued: true)
      expectRefused(error, naming: line, on: "Account")
    }
  }
#endif
