import PromiseContexts
import TestSupport
import Testing

extension MemoryTests {
  /// What links with an async closure take, and Tasks that wait. Lists as in `LinkMemoryTests`.
  @Suite("Allocations of async operators")
  struct AsyncMemoryTests {
    private let tasks = HeldTasks()
    private let deferred = Deferred<Int>()
    private var promise: Promise<Int> { deferred.promise }

    @Test("asyncMap, asyncTap and asyncRecover allocate a link, and a context for a priority, before they run")
    func links() {
      let (_, map) = Allocations.counted { promise.asyncMap { $0 &+ 1 } }
      // The link, as `map`: all three. The closure captures nothing.
      #expect(map.requested == [164])
      let (_, tap) = Allocations.counted { promise.asyncTap { _ in } }
      #expect(tap.requested == [164])
      let (_, recover) = Allocations.counted { promise.asyncRecover { _ in 1 } }
      #expect(recover.requested == [164])
      let (_, urgent) = Allocations.counted { promise.asyncMap(priority: .high) { $0 &+ 1 } }
      // With a priority a context of its own 40: header 16, executor 16, priority 2.
      #expect(urgent.requested == [40, 164])
    }

    @Test("Async links and progress observers on the main actor or another actor have the committed allocations")
    func onActor() {
      let worker = Worker(on: tasks)
      let (_, onMain) = Allocations.counted { promise.asyncMap(on: .main) { $0 &+ 1 } }
      // As without an actor.
      #expect(onMain.requested == [164])
      let (_, onWorker) = Allocations.counted { promise.asyncMap(isolatedTo: worker) { $1 &+ 1 } }
      // The closure that goes to the actor 40 and what adapts it 32. There is no context: the Task goes there.
      // `asyncTap` is an `asyncMap` with a wrapper around the closure, 32.
      #expect(onWorker.requested == [32, 40, 164])
      let (_, tap) = Allocations.counted { promise.asyncTap(isolatedTo: worker) { _, _ in } }
      #expect(tap.requested == [32, 32, 40, 164])
      let (_, recover) = Allocations.counted { promise.asyncRecover(isolatedTo: worker) { _, _ in 1 } }
      #expect(recover.requested == [32, 40, 164])
      let (_, progress) = Allocations.counted(of: Deferred<Int>()) { $0.promise.onProgress(on: .main) { _ in } }
      // As on a queue, see `ProgressMemoryTests`.
      #expect(progress.requested == [40, 75, 152])
    }

    @Test("asyncMap has the committed allocations when it begins to run")
    func running() {
      // Of some tries the smallest: now and then the system makes a thread for the Task.
      let tries = (0..<5).map { _ in
        // Waits as long as the test runs, for it must not be settled meanwhile by the thread that has the Task.
        Allocations.counted(of: owned { $0.asyncMap { [promise] (_: Int) in try await promise.value } }) {
          $0.owner.fulfill(1)
        }.allocations.requested
      }
      // The Task's closure 24 (header 16, entry 8) and what adapts it 32 (header 16, closure 16), the Task 304 and its
      // own stack 1016. What cancels it: the list of hooks 88, and the side table 152. The hook keeps the Task, and
      // nothing else.
      #expect(tries.min { $0.count < $1.count } == [24, 32, 88, 152, 304, 1016])
    }

    @Test("Promise.task has the committed allocations beside those of its Task")
    func task() {
      let worker = Worker(on: tasks)
      let (making, plain) = worker.assumeIsolated { ($0.making(), $0.plain()) }
      // Beside a Task of one's own: the promise 72; the closure that settles it 40, and the object in which a cancel
      // finds that 33; what adapts the Task's closure 24, and one of 64 that is not shown;
      // the hook 32, the list of hooks 88, the side table 152.
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
      // The owner 24 and its promise 72. The `Waiter` 193, and the function 24 that resumes the Task (header 16,
      // continuation 8). The waiter is an entry with the promise 8, a flag 1, the continuation 8 and another flag 1,
      // which begin at 168, 176, 184 and 192.
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

/// Its Tasks run where they are told to.
private actor Worker {
  private let tasks: HeldTasks
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe tasks.asUnownedSerialExecutor() }

  init(on tasks: HeldTasks) { self.tasks = tasks }

  private var number: Int { 1 }

  func making() -> Allocations { Allocations.counted { Promise.task { self.number } }.allocations }
  func plain() -> Allocations { Allocations.counted { Task { self.number } }.allocations }
}
