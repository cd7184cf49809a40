import PromiseContexts
import TestSupport
import Testing

extension MemoryTests {
  /// Tests the allocations of links with async closures, and of Tasks that await promises. `LinkMemoryTests` explains
  /// the lists.
  @Suite("Allocations of async operators")
  struct AsyncMemoryTests {
    private let tasks = HeldTasks()
    private let deferred = Deferred<Int>()
    private var promise: Promise<Int> { deferred.promise }

    @Test("asyncMap, asyncTap and asyncRecover allocate a link, and a context for a priority, before they run")
    func links() {
      let (_, map) = Allocations.counted { promise.asyncMap { $0 &+ 1 } }
      // All three allocate only the link, as `map` does, because their closures capture nothing.
      #expect(map.requested == [164])
      let (_, tap) = Allocations.counted { promise.asyncTap { _ in } }
      #expect(tap.requested == [164])
      let (_, recover) = Allocations.counted { promise.asyncRecover { _ in 1 } }
      #expect(recover.requested == [164])
      let (_, urgent) = Allocations.counted { promise.asyncMap(priority: .high) { $0 &+ 1 } }
      // A priority needs a context of its own (40: header 16, executor 16, priority 2).
      #expect(urgent.requested == [40, 164])
    }

    @Test("Async links and progress observers on the main actor or another actor have the committed allocations")
    func onActor() {
      let worker = Worker(on: tasks)
      let (_, onMain) = Allocations.counted { promise.asyncMap(on: .main) { $0 &+ 1 } }
      // The list is the same as without an actor.
      #expect(onMain.requested == [164])
      let (_, onWorker) = Allocations.counted { promise.asyncMap(isolatedTo: worker) { $1 &+ 1 } }
      // The blocks are the closure that runs on the actor (40), the adapter of that closure (32) and the link. There is
      // no context, because the Task itself runs on the actor. `asyncTap` wraps its closure once more (32) and calls
      // `asyncMap`.
      #expect(onWorker.requested == [32, 40, 164])
      let (_, tap) = Allocations.counted { promise.asyncTap(isolatedTo: worker) { _, _ in } }
      #expect(tap.requested == [32, 32, 40, 164])
      let (_, recover) = Allocations.counted { promise.asyncRecover(isolatedTo: worker) { _, _ in 1 } }
      #expect(recover.requested == [32, 40, 164])
      let (_, progress) = Allocations.counted(of: Deferred<Int>()) { $0.promise.onProgress(on: .main) { _ in } }
      // The list is the same as on a queue, see `ProgressMemoryTests`.
      #expect(progress.requested == [40, 75, 152])
    }

    @Test("asyncMap has the committed allocations when it begins to run")
    func running() {
      // The test takes the smallest of several runs, because the system sometimes creates a thread for the Task.
      let tries = (0..<5).map { _ in
        // The closure waits as long as the test runs, so that the thread of the Task does not settle the promise
        // meanwhile.
        Allocations.counted(of: owned { $0.asyncMap { [promise] (_: Int) in try await promise.value } }) {
          $0.owner.fulfill(1)
        }.allocations.requested
      }
      // The Task has a closure (24: header 16, entry 8), an adapter of the closure (32: header 16, closure 16), an
      // object (304) and a stack (1016). A hook cancels the Task, so there are also the list of hooks (88) and the side
      // table (152). The hook retains only the Task.
      #expect(tries.min { $0.count < $1.count } == [24, 32, 88, 152, 304, 1016])
    }

    @Test("Promise.task has the committed allocations beside those of its Task")
    func task() {
      let worker = Worker(on: tasks)
      let (making, plain) = worker.assumeIsolated { ($0.making(), $0.plain()) }
      // The blocks besides those of a plain Task are the promise (72), the closure that settles it (40), the object
      // through which a cancellation finds that closure (33), the adapter of the Task's closure (24), the hook (32),
      // the list of hooks (88) and the side table (152). The list leaves out one more block, of 64 bytes.
      #expect(making.requested(beside: plain) == [24, 32, 33, 40, 72, 88, 152])
    }

    @Test("Each further promise that a Task awaits has the committed allocations", .rule("4.7"))
    func value() {
      let growth = Growth.counted { count in
        let deferreds = (0..<count).map { _ in Deferred<Int>() }
        let promises = deferreds.map(\.promise)
        let task = Task(executorPreference: tasks) {
          for promise in promises { _ = try? await promise.value }
        }
        tasks.run()
        for deferred in deferreds {
          deferred.fulfill(1)
          tasks.run()
        }
        return task
      }
      // The blocks are the owner (24), its promise (72), the `Waiter` (193), and the function that resumes the Task
      // (24: header 16, continuation 8). The waiter is an entry with four more fields, which begin at 168, 176, 184 and
      // 192: the promise, a flag, the continuation and another flag.
      #expect(growth.perStep == [24, 24, 72, 193])
      let baseline = Growth.counted { count in (0..<count).map { _ in Deferred<Int>() } }
      #expect(baseline.perStep == [24, 72])
    }

    @Test("Awaiting a settled promise allocates nothing", .rule("4.7"))
    func settledValue() {
      let done = Promise.fulfilled(1)
      let growth = Growth.counted { count in
        let task = Task(executorPreference: tasks) { for _ in 0..<count { _ = try? await done.value } }
        tasks.run()
        return task
      }
      #expect(growth.perStep == [])
    }
  }
}

/// An actor whose Tasks run on an executor that the test controls.
private actor Worker {
  private let tasks: HeldTasks
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe tasks.asUnownedSerialExecutor() }

  init(on tasks: HeldTasks) { self.tasks = tasks }

  private var number: Int { 1 }

  func making() -> Allocations { Allocations.counted { Promise.task { self.number } }.allocations }
  func plain() -> Allocations { Allocations.counted { Task { self.number } }.allocations }
}
