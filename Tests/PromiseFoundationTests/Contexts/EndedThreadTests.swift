import Testing

@testable import PromiseFoundation

@Suite("Threads that end", .leavingNothing, .bounded) struct EndedThreadTests {
  @Test(
    "Handlers for a thread that has ended reject with an error that names the thread, a long chain without recursion",
    .rule("6.2", "6.4"))
  func afterTheEnd() async throws {
    let ended = Deferred<Void>()
    let context = try await ThreadProbe.startThread(named: "gone") { ThreadEnd.run { ended.fulfill() } }
    try await ended.promise.value
    let promise = Promise.fulfilled(1).map(on: context) { $0 }
    let error = try #require(await promise.awaitedError)
    #expect((error as? ThreadEndedError)?.threadName == "gone")
    #expect("\(error)" == #"a handler did not run to its end on the thread "gone", which has ended"#)
    let nameless = "a handler did not run to its end on a thread without a name, which has ended"
    #expect("\(ThreadEndedError(threadName: ""))" == nameless)

    let root = Deferred<Int>()
    var last = root.promise
    for _ in 0..<100_000 { last = last.always(on: context) { _ in } }
    root.fulfill(1)
    #expect(last.isRejected)
  }

  @Test("Handlers that are pending when their thread ends reject, and their captures are released", .rule("2.4", "6.2"))
  func atTheEnd() async throws {
    let census = Tracked.Census()
    let go = Gate()
    // The thread never runs its run loop.
    let context = try await ThreadProbe.startThread(named: "short") { go.wait() }
    let promises = (0..<3).map { number in
      let payload = Tracked(census)
      return Promise.fulfilled(number).map(on: context) { value in withExtendedLifetime(payload) { value } }
    }
    #expect(promises.allSatisfy { $0.isPending })
    go.open()
    for promise in promises { #expect((await promise.awaitedError as? ThreadEndedError)?.threadName == "short") }
    #expect(census.living == 0)
  }

  @Test("A thread that ends releases its job queue, whether or not its run loop ran the due jobs", .rule("6.3"))
  func nothingRemains() async {
    let queues = WeakQueues()
    for runsLoop in [true, false] {
      // `ThreadProbe` is not used, because it returns the context of its thread.
      let thread = Thread {
        queues.append(.current)
        Promise.fulfilled(1).onFulfilled(on: .currentThread) { _ in }
        if runsLoop { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
      }
      thread.start()
    }
    // The threads may end at any time.
    #expect(await eventually { queues.areReleased })
  }
}

private final class WeakQueues: @unchecked Sendable {
  private struct Entry {
    weak var queue: ThreadJobQueue?
  }

  private let lock = NSLock()
  private var entries: [Entry] = []

  func append(_ queue: ThreadJobQueue) { lock.withLock { entries.append(Entry(queue: queue)) } }

  var areReleased: Bool { lock.withLock { entries.count == 2 && entries.allSatisfy { $0.queue == nil } } }
}

/// Races between the end of a thread and a handler for it. The handler runs, or its promise is rejected.
@Suite("Races for contexts", .leavingNothing, .bounded) struct ContextRaceTests {
  private static let rounds = 200

  @Test("Handlers that are scheduled while their thread ends reject their promises", .rule("6.2", "8.1"))
  func threadEnds() async throws {
    var handlerFirst = 0
    var endFirst = 0
    var round = 0
    // Goes on until both orders have happened.
    while round < Self.rounds || (handlerFirst == 0 || endFirst == 0) && round < 100 * Self.rounds {
      defer { round += 1 }
      let go = Gate()
      // The thread never runs its run loop, so handlers that are scheduled before its end stay pending until then.
      let context = try await ThreadProbe.startThread(named: "ending") { go.wait() }
      let promises = Log<Promise<Int>>()
      let waited = Locked(0)
      race([
        { go.open() },
        { [round] in
          for number in 0..<round % 40 + 2 {
            let promise = Promise.fulfilled(number).map(on: context) { $0 }
            if promise.isPending { waited.withLock { $0 += 1 } }
            promises.append(promise)
          }
        },
      ])
      for promise in promises.entries {
        let error = await promise.awaitedError
        #expect((error as? ThreadEndedError)?.threadName == "ending", "round \(round)")
      }
      let count = waited.withLock { $0 }
      if count > 0 { handlerFirst += 1 }
      if count < promises.entries.count { endFirst += 1 }
    }
    #expect(handlerFirst > 0)
    #expect(endFirst > 0)
  }

  @Test("A handler scheduled while the last context is released still runs, and the thread ends after it", .rule("6.1"))
  func lastContextGoes() async throws {
    let census = Tracked.Census()
    for _ in 0..<Self.rounds {
      let owner = Deferred<Int>()
      let ended = Deferred<Void>()
      let context = Locked<ThreadContext?>(ThreadContext(named: "leaving"))
      let mapped: Promise<Int>
      do {
        let payload = Tracked(census)
        let held = try #require(context.withLock { $0 })
        mapped = owner.promise.map(on: held) { value in
          ThreadEnd.run { ended.fulfill() }
          return withExtendedLifetime(payload) { value + 1 }
        }
      }
      race([{ owner.fulfill(1) }, { context.withLock { $0 = nil } }])
      #expect(try await mapped.value == 2)
      try await ended.promise.value
    }
    #expect(census.living == 0)
  }
}
