import TestSupport
import Testing

extension MemoryTests {
  /// Tests the allocations of links with async closures, and of Tasks that await promises. `LinkMemoryTests` explains
  /// the lists.
  @Suite("Allocations of async operators") struct AsyncMemoryTests {
    private let tasks = HeldTasks()
    private let deferred = Deferred<Int>()
    private var promise: Promise<Int> { deferred.promise }

    @Test("Async links and progress observers have the committed allocations, on the main actor and other actors")
    func links() {
      // All three allocate only the link, as `map` does, because their closures capture nothing.
      expectAllocations([166]) { promise.asyncMap { $0 &+ 1 } }
      expectAllocations([166]) { promise.asyncTap { _ in } }
      expectAllocations([166]) { promise.asyncRecover { _ in 1 } }
      // A priority needs a context of its own (40: header 16, executor 16, priority 2).
      expectAllocations([40, 166]) { promise.asyncMap(priority: .high) { $0 &+ 1 } }
      let worker = Worker(on: tasks)
      // A closure that looks whether the Task is cancelled (48: header 16, closure 16, types of the value and of the
      // result 8 each), and an adapter (32).
      expectAllocations([32, 48, 166]) { promise.asyncMap(on: .main) { $0 &+ 1 } }
      // The blocks are the closure that runs on the actor (80: header 16, closure 16, actor 8, types and a conformance),
      // the adapter of that closure (32) and the link. There is no context, because the Task itself runs on the actor.
      // `asyncTap` wraps its closure once more (32) and calls `asyncMap`. Closures for no result or for an error have
      // one more adapter (32).
      expectAllocations([32, 80, 166]) { promise.asyncMap(isolatedTo: worker) { $1 &+ 1 } }
      expectAllocations([32, 32, 32, 80, 166]) { promise.asyncTap(isolatedTo: worker) { _, _ in } }
      expectAllocations([32, 32, 80, 166]) { promise.asyncRecover(isolatedTo: worker) { _, _ in 1 } }
      // The list is the same as on a queue, see `ProgressMemoryTests`.
      expectAllocations([40, 80, 160], of: Deferred<Int>()) { $0.promise.onProgress(on: .main) { _ in } }
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
      // table (160). The hook retains only the Task.
      #expect(tries.min { $0.count < $1.count }?.total == Blocks(6, bytes: 1624))
    }

    @Test("Promise.task has the committed allocations beside those of its Task")
    func task() {
      let worker = Worker(on: tasks)
      let (making, plain) = worker.assumeIsolated { ($0.making(), $0.plain()) }
      // The blocks besides those of a plain Task are the promise (72), the closure that settles it (40), the object
      // through which a cancellation finds that closure (56), the adapter of the Task's closure and the two hooks (24),
      // the list of hooks (88), which grows to two (144), and the side table (160). The list leaves out blocks of the
      // same sizes as those of a plain Task.
      #expect(making.requested(beside: plain).total == Blocks(7, bytes: 584))
    }

    @Test("Each pending promise that a Task awaits has the committed allocations, and a settled one none", .rule("4.7"))
    func value() {
      // The blocks are the owner (24), its promise (72) and the `Waiter` (210). The waiter is an entry with six more
      // fields, which begin at 168, 176, 184, 200, 208 and 209: the promise, a flag, a context, the continuation and two
      // flags.
      Growth.expect(perStep: [24, 72, 210]) { count in
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
      Growth.expect(perStep: [24, 72]) { count in (0..<count).map { _ in Deferred<Int>() } }
      let done = Promise.fulfilled(1)
      Growth.expect(perStep: []) { count in
        let task = Task(executorPreference: tasks) { for _ in 0..<count { _ = try? await done.value } }
        tasks.run()
        return task
      }
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
