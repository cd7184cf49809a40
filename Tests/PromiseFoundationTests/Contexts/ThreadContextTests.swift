import PromiseFoundation
import Testing

@Suite("Threads as contexts", .bounded) struct ThreadContextTests {
  @Test("Handlers run on their thread, whose sleeping run loop is woken for each of them")
  func runsOnThread() async throws {
    let context = ThreadContext(named: "worker")
    for _ in 0..<3 {
      // The run loop is asleep, or is falling asleep, at the start of each round.
      let deferred = Deferred<Int>()
      let name = deferred.promise.map(on: context) { _ in Thread.current.name }
      deferred.fulfill(1)
      #expect(try await name.value == "worker")
    }
  }

  @Test("A handler never runs inside the call that attaches it, even on the thread itself", .rule("2.1"))
  func neverInside() async throws {
    let context = ThreadContext(named: "worker")
    let order = Log<Int>()
    _ = try await Promise.fulfilled(1).then(on: context) { _ in
      let inner = Promise.fulfilled(2).tap(on: context) { order.append($0) }
      order.append(1)
      return inner
    }.value
    #expect(order.entries == [1, 2])
  }

  @Test("Objects that a handler creates or autoreleases are released before the next handler runs")
  func autoreleased() async throws {
    let context = ThreadContext(named: "worker")
    let census = Tracked.Census()
    let deferred = Deferred<Int>()
    deferred.promise.onFulfilled(on: context) { _ in
      let made = Tracked(census)
      #if canImport(ObjectiveC)
        _ = Unmanaged.passRetained(made).autorelease()
      #endif
      withExtendedLifetime(made) {}
    }
    let living = deferred.promise.map(on: context) { _ in census.living }
    deferred.fulfill(1)
    #expect(try await living.value == 0 && census.peak == 1)
  }

  @Test("Handlers scheduled by several threads all run, in the order of each thread", .rule("2.2"))
  func fromSeveralThreads() async throws {
    let context = ThreadContext(named: "worker")
    let order = Log<(thread: Int, number: Int)>()
    race(
      (0..<4).map { thread in
        {
          for number in 0..<200 { Promise.fulfilled(number).onFulfilled(on: context) { order.append((thread, $0)) } }
        }
      })
    _ = try await Promise.fulfilled(0).map(on: context) { $0 }.value
    for thread in 0..<4 { #expect(order.entries.filter { $0.thread == thread }.map(\.number) == Array(0..<200)) }
  }

  @Test("Handlers that keep adding handlers do not starve the other work of their run loop")
  func leavesTurns() async throws {
    let context = ThreadContext(named: "worker")
    let isPerformed = Locked(false)
    @Sendable func step(_ number: Int) -> Promise<Bool> {
      if isPerformed.withLock({ $0 }) { return .fulfilled(true) }
      if number == 100_000 { return .fulfilled(false) }
      return Promise.run(on: context) {}.then(on: context) { step(number + 1) }
    }
    let hadTurn = Promise.run(on: context) { RunLoop.current.perform { isPerformed.withLock { $0 = true } } }
      .then(on: context) { step(0) }
    #expect(try await hadTurn.value)
  }

  @Test("A context keeps the run loop of its thread running until its release, after which the thread can have another")
  func keepsLoop() async throws {
    let second = Deferred<ThreadContext>()
    do {
      let context = try await ThreadProbe.startThread(named: "own") {
        // The run loop has no source except that of the context.
        RunLoop.current.run()
        second.fulfill(.currentThread)
        RunLoop.current.run()
      }
      for number in 0..<3 {
        #expect(try await Promise.fulfilled(number).map(on: context) { $0 }.value == number)
        #expect(second.promise.isPending)
      }
    }
    let context = try await second.promise.value
    #expect(try await Promise.fulfilled(2).map(on: context) { _ in Thread.current.name }.value == "own")
  }

  @Test(
    "A thread whose last context is released in a handler runs an earlier handler, or can become a context again",
    arguments: [true, false])
  func releasedInHandler(_ isEarlier: Bool) async throws {
    let ran = Deferred<[Int]>()
    let thread = Thread {
      let log = Log<Int>()
      let context = Locked<ThreadContext?>(.current)
      func turn() { _ = RunLoop.current.run(mode: .default, before: .distantPast) }
      context.withLock { first in
        guard let first else { return }
        Promise.fulfilled(1).onFulfilled(on: first) { number in
          // The release wakes the run loop for another turn. The run loop loses its only source before that turn,
          // unless another handler waits.
          context.withLock { last in
            if isEarlier, let last { Promise.fulfilled(2).onFulfilled(on: last, log.append) }
            last = nil
          }
          log.append(number)
        }
      }
      turn()
      if !isEarlier { Promise.fulfilled(2).onFulfilled(on: .currentThread, log.append) }
      for _ in 0..<3 { turn() }
      ran.fulfill(log.entries)
    }
    thread.start()
    #expect(try await ran.promise.value == [1, 2])
  }

  @Test(
    "ThreadContext.current is the same context on one thread, where isCurrent is true, and not on another thread",
    .rule("2.2", "7.2"))
  func identity() async throws {
    let first = ThreadContext(named: "a")
    let second = ThreadContext(named: "b")
    let (seen, isCurrent) = try await Promise.fulfilled(1).map(on: first) { _ in
      ([ThreadContext.current.identity, ThreadContext.current.identity], first.isCurrent)
    }.value
    #expect(seen == [first.identity, first.identity])
    #expect(first.identity != second.identity)
    #expect(isCurrent == true)
    #expect(first.isCurrent == nil)
  }

  @Test("A handler that runs the run loop itself lets other handlers run inside, each of them once")
  func nestedLoop() async throws {
    let context = ThreadContext(named: "worker")
    let order = Log<String>()
    let deferred = Deferred<Int>()
    let first = deferred.promise.tap(on: context) { _ in
      order.append("begin")
      Promise.fulfilled(1).onFulfilled(on: context) { _ in order.append("inner") }
      while order.entries.count < 3 { _ = RunLoop.current.run(mode: .default, before: .distantPast) }
      order.append("end")
    }
    deferred.promise.onFulfilled(on: context) { _ in order.append("second") }
    deferred.fulfill(0)
    _ = try await first.value
    #expect(order.entries == ["begin", "second", "inner", "end"])
  }

  @Test(
    "A handler that is scheduled while other handlers run inside each other runs in the loop of the one outside",
    arguments: 2...4)
  func nestedLoops(depth: Int) async throws {
    let context = ThreadContext(named: "worker")
    let innermost = Deferred<Void>()
    let mayReturn = Gate()
    let order = Log<String>()
    /// Runs the loop until the condition holds. A few turns suffice. The limit makes the test fail instead of hanging.
    @Sendable func runLoop(until isReached: () -> Bool) {
      for _ in 0..<100 where !isReached() { _ = RunLoop.current.run(mode: .default, before: .distantPast) }
    }
    @Sendable func run(_ level: Int) {
      if level == depth {
        innermost.fulfill()
        mayReturn.wait()
      } else {
        let hasReturned = Locked(false)
        _ = Promise.run(on: context) {
          run(level + 1)
          hasReturned.withLock { $0 = true }
        }
        runLoop { hasReturned.withLock(\.self) }
        runLoop { order.entries.contains("scheduled") }
      }
      order.append("\(level)")
    }
    let outermost = Promise.run(on: context) { run(1) }
    try await innermost.promise.value
    _ = Promise.run(on: context) { order.append("scheduled") }
    mayReturn.open()
    try await outermost.value
    let levels = (1...depth).reversed().map { "\($0)" }
    #expect(order.entries == [levels[0], "scheduled"] + levels.dropFirst())
  }
}

@Suite("Operation queues as contexts", .bounded) struct OperationQueueTests {
  @Test("Handlers on a serial queue run in the order in which they were attached", .rule("2.2"))
  func inOrder() async throws {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let deferred = Deferred<Int>()
    let order = Log<Int>()
    for number in 0..<500 { deferred.promise.onFulfilled(on: queue) { _ in order.append(number) } }
    let last = deferred.promise.map(on: queue) { $0 }
    deferred.fulfill(1)
    #expect(try await last.value == 1)
    #expect(order.entries == Array(0..<500))
  }

  @Test("Handlers on a concurrent queue overlap")
  func overlap() async throws {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 2
    let first = Gate()
    let second = Gate()
    let promises = [(first, second), (second, first)].map { own, other in
      Promise<Void>.run(on: queue) {
        own.open()
        other.wait("other handler")
      }
    }
    for promise in promises { try await promise.value }
  }

  @Test(
    "A handler runs as one operation, waits while its queue is suspended, and rejects with contextDropped if cancelled",
    .rule("6.2"))
  func suspended() async throws {
    let queue = OperationQueue()
    queue.isSuspended = true
    let promise = Promise.fulfilled(1).map(on: queue) { _ in (OperationQueue.current === queue, queue.operationCount) }
    #expect(queue.operationCount == 1)
    #expect(promise.isPending)
    queue.isSuspended = false
    let (isCurrent, count) = try await promise.value
    #expect(isCurrent)
    #expect(count == 1)

    queue.isSuspended = true
    let dropped = Promise.fulfilled(1).map(on: queue) { $0 }
    queue.cancelAllOperations()
    queue.isSuspended = false
    let error = try #require(await dropped.awaitedError)
    #expect(PromiseError.Code(error) == .contextDropped)
  }

  @Test("isCurrent is true in an operation of a serial queue, and nil elsewhere", .rule("7.2"))
  func isCurrent() async throws {
    let serial = OperationQueue()
    let concurrent = OperationQueue()
    serial.maxConcurrentOperationCount = 1
    let inSerial = Promise.fulfilled(1).map(on: serial) { _ in [serial.isCurrent, concurrent.isCurrent] }
    let inConcurrent = Promise.fulfilled(1).map(on: concurrent) { _ in [serial.isCurrent, concurrent.isCurrent] }
    #expect(try await inSerial.value == [true, nil])
    #expect(try await inConcurrent.value == [nil, nil])
    #expect(serial.isCurrent == nil)
  }
}
