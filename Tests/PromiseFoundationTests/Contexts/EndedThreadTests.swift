import Foundation
import TestSupport
import Testing

@testable import PromiseFoundation

@Suite("Threads that end", .leavingNothing, .bounded)
struct EndedThreadTests {
  @Test("The error of a thread without a name says that the thread has no name", .rule("7.2"))
  func nameless() {
    let text = "\(ThreadEndedError(threadName: ""))"
    #expect(text == "a handler did not run to its end on a thread without a name, which has ended")
  }

  @Test("A handler for a thread that has ended rejects with an error that names the thread", .rule("6.2"))
  func afterTheEnd() async throws {
    let ended = Deferred<Void>()
    let context = try await ThreadProbe.startThread(named: "gone") { ThreadEnd.run { ended.fulfill() } }
    try await ended.promise.value
    let promise = Promise.fulfilled(1).map(on: context) { $0 }
    let error = await error(of: promise)
    #expect((error as? ThreadEndedError)?.threadName == "gone")
    #expect("\(error)" == #"a handler did not run to its end on the thread "gone", which has ended"#)
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
    for promise in promises {
      #expect((await error(of: promise) as? ThreadEndedError)?.threadName == "short")
    }
    #expect(census.living == 0)
  }

  @Test("A handler on another context can recover from the ThreadEndedError of an ended thread", .rule("2.3", "6.2"))
  func behind() async throws {
    let context = try await ThreadProbe.startThread(named: "gone") {}
    let deferred = Deferred<Int>()
    let rescued = deferred.promise.map(on: context) { $0 }.recover { $0 is ThreadEndedError ? 7 : 0 }
    deferred.fulfill(1)
    #expect(try await rescued.value == 7)
  }

  @Test("A long chain of handlers for a thread that has ended is rejected without recursion", .rule("6.4"))
  func longChain() async throws {
    let ended = Deferred<Void>()
    let context = try await ThreadProbe.startThread(named: "gone") { ThreadEnd.run { ended.fulfill() } }
    try await ended.promise.value
    let root = Deferred<Int>()
    var last = root.promise
    for _ in 0..<100_000 { last = last.always(on: context) { _ in } }
    root.fulfill(1)
    #expect(last.isRejected)
  }

  @Test("The thread of a released context ends after its pending handlers")
  func endsWithContext() async throws {
    let log = Log<String>()
    let ended = Deferred<Void>()
    do {
      let context = ThreadContext(named: "worker")
      Promise.fulfilled(1).onFulfilled(on: context) { _ in
        ThreadEnd.run { ended.fulfill() }
        log.append("first")
      }
      Promise.fulfilled(1).onFulfilled(on: context) { _ in log.append("second") }
    }
    try await ended.promise.value
    #expect(log.entries == ["first", "second"])
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

  @Test("A pending link keeps the thread of its context running")
  func keptByLink() async throws {
    let deferred = Deferred<Int>()
    let mapped = deferred.promise.map(on: ThreadContext(named: "worker")) { "\($0) \(Thread.current.name ?? "")" }
    deferred.fulfill(1)
    #expect(try await mapped.value == "1 worker")
  }

  private func error(of promise: Promise<Int>) async -> any Error {
    do {
      return TestError(try await promise.value)
    } catch {
      return error
    }
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
