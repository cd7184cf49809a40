import Dispatch
import PromiseContexts
import Synchronization
import TestSupport
import Testing

// Holds the Swift blocks of Docs/Guides/Contexts.md, word for word. `make lint` compares them.

@MainActor private final class PriceTag {
  let currency = "€"
  var text = ""
}

private final class Entries: @unchecked Sendable {
  // `@unchecked`, because a queue protects the set. The document shows this.
  private var names: Set<String> = []
  func insert(_ name: String) { names.insert(name) }
  func contains(_ name: String) -> Bool { names.contains(name) }
}

@MainActor private final class Total { var total = 0 }

private actor Account { var balance = 0 }

final class Loop: ExecutionContext {
  private let jobs = AsyncStream.makeStream(of: Job.self)

  func schedule(_ job: consuming Job) { jobs.continuation.yield(job) }

  func run() async {
    for await job in jobs.stream { job.run() }
  }
}

struct WorkerStopped: Error {}

final class Worker: ExecutionContext {
  private let state = Mutex((jobs: [Job](), isStopped: false))

  func schedule(_ job: consuming Job) {
    let job = job
    let isStopped = state.withLock { state in
      if !state.isStopped { state.jobs.append(job) }
      return state.isStopped
    }
    if isStopped { job.reject(WorkerStopped()) }
  }

  func runNext() {
    let job = state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
    job?.run()
  }

  func stop() {
    let left = state.withLock { state in
      defer { state = (jobs: [], isStopped: true) }
      return state.jobs
    }
    for job in left { job.reject(WorkerStopped()) }  // not under the lock
  }
}

@Suite("Examples in Docs/Guides/Contexts.md", .bounded)
struct ContextsDocumentTests {
  @Test("Handlers on the main actor and on an actor update the state of their context", .rule("2.1"))
  @MainActor
  func places() async throws {
    let deferred = Deferred<Int>()
    let (deposit, screen) = (deferred.promise, Total())
    let (account, queue) = (Account(), DispatchQueue(label: "deposits"))
    deposit.tap { print("in parallel:", $0) }
    deposit.tap(on: .main) { screen.total = $0 }
    deposit.tap(on: queue) { print("on a queue that it has to itself:", $0) }
    deposit.tap(isolatedTo: account) { account, amount in account.balance += amount }
    // Handlers of one settlement on one context run in the order in which they were attached (rule 2.2).
    let (onMain, onActor) = (deposit.tap(on: .main) { _ in }, deposit.tap(isolatedTo: account) { _, _ in })
    deferred.fulfill(7)
    _ = try await (onMain.value, onActor.value)
    #expect(screen.total == 7)
    #expect(await account.balance == 7)
  }

  @MainActor
  @Test("A view names the context of its handlers once")
  func view() async throws {
    let price = Promise.fulfilled(12)
    let screen = PriceTag()
    let shown = price.on(.main)
      .map { screen.currency + "\($0)" }  // on the main actor
      .tap { screen.text = $0 }  // on the main actor
      .promise
    #expect(try await shown.value == "€12")
    #expect(screen.text == "€12")
  }

  @Test("The example of links without a context delivers its total")
  func pool() async throws {
    let files = ["a", "bc"]
    let sizes = Promise.run { files.map(\.count) }  // on the pool
    let total = sizes.map { $0.reduce(0, +) }  // on the pool, mostly on the same thread
    #expect(try await total.value == 3)
  }

  @Test("Links on global queues of different qualities of service deliver their values", .rule("2.9"))
  func quality() async throws {
    @Sendable func makeIndex(of texts: [String]) -> [Character: [String]] {
      Dictionary(grouping: texts) { $0.first ?? " " }
    }
    let texts = Promise.fulfilled(["one", "two", "three"])
    let index = texts.map(on: .global(qos: .utility)) { makeIndex(of: $0) }
    let preview = texts.map(on: .global(qos: .userInitiated)) { $0.prefix(10).joined() }
    #expect(try await index.value["t"] == ["two", "three"])
    #expect(try await preview.value == "onetwothree")
  }

  @Test("A reader finds the entry that a writer on the same queue has stored", .rule("2.7"))
  func barrier() async throws {
    let entry = Promise.fulfilled("x")
    let entries = Entries()
    let table = DispatchQueue(label: "table", attributes: .concurrent)
    let stored = entry.tap(on: table) { entries.insert($0) }  // alone on the queue
    let found = stored.map(on: .concurrent(table)) { entries.contains($0) }  // beside other readers
    #expect(try await found.value)
  }

  @Test("A custom context runs its handlers")
  func ownContext() async throws {
    let loop = Loop()
    let running = Task { await loop.run() }
    let sum = try await Promise.fulfilled(1).map(on: loop) { $0 + 1 }.value
    #expect(sum == 2)
    running.cancel()
  }

  @Test("A stopped context rejects its waiting jobs and the jobs that these rejections schedule", .rule("6.2"))
  func stoppingContext() {
    let worker = Worker()
    let log = Log<String>()
    let first = Promise.fulfilled(1).map(on: worker) { $0 + 1 }
    worker.runNext()
    #expect(first.isFulfilled)
    let waiting = first.map(on: worker) { $0 + 1 }
    // This handler is scheduled on the same context, inside the call that rejects the job before it.
    let behind = waiting.recover(on: worker) { error in
      log.append("ran")
      throw error
    }
    worker.stop()
    let late = first.map(on: worker) { $0 + 1 }
    for promise in [waiting, behind, late] { #expect(throws: WorkerStopped.self) { try promise.result?.get() } }
    #expect(log.entries.isEmpty)
  }
}
