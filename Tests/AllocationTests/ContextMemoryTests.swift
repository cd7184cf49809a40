import Dispatch
import TestSupport
import Testing

extension MemoryTests {
  /// Tests the allocations that place a handler on a context. `LinkMemoryTests` explains the lists.
  @Suite("Allocations of contexts") struct ContextMemoryTests {
    private let deferred = Deferred<Int>()
    private var promise: Promise<Int> { deferred.promise }
    private let queue = DispatchQueue(label: "contexts")
    private let tasks = HeldTasks()
    private let worker = Worker()

    @Test("A link on the pool, on the main actor or in a view allocates the blocks of any link")
    func pool() {
      expectAllocations([166]) { promise.map { $0 &+ 1 } }
      expectAllocations([166]) { promise.map(on: .pool) { $0 &+ 1 } }
      // The list is the same as on a queue, because the context of the main queue is shared and the closure that enters
      // the main actor is a constant.
      expectAllocations([166]) { promise.map(on: .main) { $0 &+ 1 } }
      expectAllocations([166]) { promise.on(queue).map { $0 &+ 1 } }
      expectAllocations([166]) { promise.on(.main).map { $0 &+ 1 } }
      // The list is the same as on an actor without a view.
      expectAllocations([40, 48, 166]) { promise.on(isolatedTo: worker).map { $1 &+ 1 } }
    }

    @Test("A link on a queue or on its own Task allocates a context only if it has a setting", .rule("2.2"))
    func queues() {
      expectAllocations([166]) { promise.map(on: .queue(queue)) { $0 &+ 1 } }
      // The context takes 24 (header 16, queue 8).
      expectAllocations([24, 166]) { promise.map(on: .concurrent(queue)) { $0 &+ 1 } }
      // The contexts of the system's queues are shared.
      expectAllocations([166]) { promise.map(on: .global()) { $0 &+ 1 } }
      // All links without a priority share one context.
      expectAllocations([166]) { promise.map(on: .task()) { $0 &+ 1 } }
      // The context takes 40 (header 16, executor 16, priority 2).
      expectAllocations([40, 166]) { promise.map(on: .task(priority: .high)) { $0 &+ 1 } }
      // The context takes 32 (header 16, executor 16).
      expectAllocations([32, 166]) { promise.map(on: .executor(tasks)) { $0 &+ 1 } }
    }

    @Test("map, then, recover and onSettled on an actor have the committed allocations")
    func onActor() {
      // The blocks are the context (48: header 16, actor 16, executor 16), the closure that enters the actor (40:
      // header 16, actor 8, handler 16) and the link. A body for errors captures that closure (32).
      expectAllocations([40, 48, 166]) { promise.map(isolatedTo: worker) { $1 &+ 1 } }
      expectAllocations([40, 48, 166]) { promise.then(isolatedTo: worker) { .fulfilled($1) } }
      expectAllocations([32, 40, 48, 166]) { promise.recover(isolatedTo: worker) { _, _ in 1 } }
      expectAllocations([40, 48, 166]) { promise.onSettled(isolatedTo: worker) { _, _ in } }
      // The blocks are the context (48), the closure that enters the actor for each handler (40), the body for errors,
      // which captures one of these (32), and the link.
      expectAllocations(blocks: 5, bytes: 360) {
        promise.map(isolatedTo: worker, fulfilled: { $1 }, rejected: { _, _ in 0 })
      }
    }

    @Test("tap, always, catch, rescue and validate on an actor have the committed allocations")
    func othersOnActor() {
      // The blocks 40, 48 and 166 are the same as for `map` and `then` on an actor. `tap` and `validate` are a `map`
      // with a wrapper around the closure, which takes 32 and 48.
      expectAllocations([32, 40, 48, 166]) { promise.tap(isolatedTo: worker) { _, _ in } }
      expectAllocations([40, 48, 166]) { promise.always(isolatedTo: worker) { _, _ in } }
      expectAllocations([32, 40, 48, 166]) { promise.catch(isolatedTo: worker) { _, _ in } }
      expectAllocations([32, 40, 48, 166]) { promise.rescue(isolatedTo: worker) { _, _ in .fulfilled(1) } }
      expectAllocations([40, 48, 48, 166]) { promise.validate(isolatedTo: worker) { _, value in value > 0 } }
    }

    private func fulfil(on context: any ExecutionContext) -> Allocations {
      Allocations.counted(of: owned { $0.map(on: context) { $0 &+ 1 } }) { deferred, _ in deferred.fulfill(1) }
        .allocations
    }

    @Test("A handler on a queue allocates nothing because Dispatch gets the job itself")
    func onQueue() {
      queue.suspend()
      defer { queue.resume() }
      #expect(fulfil(on: queue).withoutContinuations == [])
      #expect(fulfil(on: .concurrent(queue)).withoutContinuations == [])
      // The block of `queue.async` contains a closure that captures nothing (header 32, closure 16).
      #expect(Allocations.counted { queue.async {} }.allocations.withoutContinuations == [48])
    }

    @Test("In release builds a handler on a concurrent queue is a barrier, but not with `.concurrent`")
    func barriers() async throws {
      let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
      // A false condition stops the process.
      _ = try await Promise.fulfilled(1).tap(on: queue) { _ in
        dispatchPrecondition(condition: .onQueueAsBarrier(queue))
      }.value
      let first = DispatchSemaphore(value: 0)
      let second = DispatchSemaphore(value: 0)
      let beside = [(first, second), (second, first)].map { mine, other in
        Promise.fulfilled(1).tap(on: .concurrent(queue)) { _ in
          mine.signal()
          other.wait()
        }
      }
      for promise in beside { _ = try await promise.value }
    }

    @Test("A handler on a task executor allocates one job and one Task")
    func onExecutor() {
      // The blocks are the job (25), the Task's closure (32), the Task (304) and its stack (1016). For a closure that
      // captures nothing, the runtime allocates a Task of 288 bytes.
      #expect(fulfil(on: .executor(tasks)).requested == [25, 32, 304, 1016])
      expectAllocations([288, 1016]) { Task.detached(executorPreference: tasks) {} }
      expectAllocations([]) { tasks.run() }
    }
  }
}

private actor Worker {}
