import Dispatch
import TestSupport
import Testing

private enum Local {
  @TaskLocal static var number = 0
}

private actor Vault {}

@Suite("Contexts of Swift concurrency", .bounded) struct TaskContextTests {
  @Test(".executor runs each handler as a job of the executor, in a Task that prefers it, and nowhere else")
  func executor() throws {
    let executor = ManualExecutor()
    let context: any ExecutionContext = .executor(executor)
    let log = Log<Int>()
    let deferred = Deferred<Int>()
    let end = deferred.promise.map(on: context) { $0 + 1 }.tap(on: context) { log.append($0) }
    deferred.promise.onFulfilled(on: context) { log.append($0 * 100) }
    let isPreferred = deferred.promise.map(on: context) { _ in
      unsafe withUnsafeCurrentTask { unsafe $0?.unownedTaskExecutor == executor.asUnownedTaskExecutor() }
    }
    deferred.fulfill(1)
    #expect(executor.count == 3)
    #expect(log.entries.isEmpty)
    executor.runUntilIdle()
    #expect(log.entries == [100, 2])
    #expect(end.isFulfilled)
    #expect(isPreferred.state.value == true)
  }

  @Test(
    "Handlers of one settlement on one actor run in order, in a single hop", .rule("2.2"), arguments: [false, true])
  func oneHop(othersBetween: Bool) async throws {
    let counting = CountingActor()
    let deferred = Deferred<Int>()
    for number in 0..<50 {
      deferred.promise.onFulfilled(isolatedTo: counting) { counting, _ in counting.numbers.append(number) }
      if othersBetween { deferred.promise.onFulfilled { _ in } }
    }
    let end = deferred.promise.map(isolatedTo: counting) { counting, _ in counting.numbers }
    deferred.fulfill(1)
    let numbers = try await end.value
    #expect(counting.hops == 1)
    #expect(numbers == Array(0..<50))
  }

  enum Way: CaseIterable, Sendable {
    case task, priority, executor, actor, actorView, main, pool, queue, asyncOnMain, asyncOnActor

    func number(after promise: Promise<Void>) -> Promise<Int> {
      switch self {
      case .task: promise.map(on: .task()) { Local.number }
      case .priority: promise.map(on: .task(priority: .low)) { Local.number }
      case .executor: promise.map(on: .executor(globalConcurrentExecutor)) { Local.number }
      case .actor: promise.map(isolatedTo: Vault()) { _, _ in Local.number }
      case .actorView: promise.on(isolatedTo: Vault()).map { _, _ in Local.number }.promise
      case .main: promise.map(on: .main) { Local.number }
      case .pool: promise.map { Local.number }
      case .queue: promise.map(on: DispatchQueue(label: "queue")) { Local.number }
      case .asyncOnMain: promise.asyncMap(on: .main) { Local.number }
      case .asyncOnActor: promise.asyncMap(isolatedTo: Vault()) { _, _ in Local.number }
      }
    }
  }

  @Test(
    "A handler inherits no task-local values of the attaching or settling code", .rule("8.3"), arguments: Way.allCases)
  func inheritsNothing(_ way: Way) async throws {
    let deferred = Deferred<Void>()
    let pending = Local.$number.withValue(7) { way.number(after: deferred.promise) }
    Local.$number.withValue(8) { _ = deferred.fulfill() }
    #expect(try await pending.value == 0)
    let settled = Local.$number.withValue(9) { way.number(after: deferred.promise) }
    #expect(try await settled.value == 0)
  }
}

/// An actor that counts its executor's jobs.
private actor CountingActor {
  private final class Executor: SerialExecutor {
    let count = Locked(0)
    private let queue = DispatchQueue(label: "actor")

    func enqueue(_ job: consuming ExecutorJob) {
      count.withLock { $0 += 1 }
      let job = UnownedJob(job)
      queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  private let executor = Executor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
  nonisolated var hops: Int { executor.count.withLock { $0 } }
  var numbers: [Int] = []
}
