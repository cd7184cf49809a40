import Dispatch
import PromiseContexts
import TestSupport
import Testing

extension MemoryTests {
  /// Tests the allocations that place a handler on a context. `LinkMemoryTests` explains the lists.
  @Suite("Allocations of contexts")
  struct ContextMemoryTests {
    private let deferred = Deferred<Int>()
    private var promise: Promise<Int> { deferred.promise }
    private let queue = DispatchQueue(label: "contexts")
    private let tasks = HeldTasks()
    private let worker = Worker()

    @Test("A link without `on:` or on the pool allocates one block")
    func pool() {
      let (_, bare) = Allocations.counted { promise.map { $0 &+ 1 } }
      #expect(bare.requested == [164])
      let (_, named) = Allocations.counted { promise.map(on: .pool) { $0 &+ 1 } }
      #expect(named.requested == [164])
    }

    @Test("A link on the main actor allocates one block")
    func onMain() {
      let (_, allocations) = Allocations.counted { promise.map(on: .main) { $0 &+ 1 } }
      // The list is the same as on a queue, because the context of the main queue is shared and the closure that enters
      // the main actor is a constant.
      #expect(allocations.requested == [164])
    }

    @Test("A view and a link in it allocate one block")
    func inView() {
      let (_, allocations) = Allocations.counted { promise.on(queue).map { $0 &+ 1 } }
      #expect(allocations.requested == [164])
      let (_, onMain) = Allocations.counted { promise.on(.main).map { $0 &+ 1 } }
      #expect(onMain.requested == [164])
    }

    @Test("A link in a view of an actor allocates the same blocks as a link on the actor")
    func inViewOfActor() {
      let (_, allocations) = Allocations.counted { promise.on(isolatedTo: worker).map { $1 &+ 1 } }
      // The list is the same as on an actor without a view.
      #expect(allocations.requested == [40, 48, 164])
    }

    @Test("A link on a queue allocates a context of its own only with `.concurrent`")
    func queues() {
      let (_, barrier) = Allocations.counted { promise.map(on: .queue(queue)) { $0 &+ 1 } }
      #expect(barrier.requested == [164])
      let (_, beside) = Allocations.counted { promise.map(on: .concurrent(queue)) { $0 &+ 1 } }
      // The context takes 24 (header 16, queue 8).
      #expect(beside.requested == [24, 164])
      let (_, global) = Allocations.counted { promise.map(on: .global()) { $0 &+ 1 } }
      // The contexts of the system's queues are shared.
      #expect(global.requested == [164])
    }

    @Test("A link on its own Task allocates a context only for a priority or an executor", .rule("2.2"))
    func task() {
      let (_, plain) = Allocations.counted { promise.map(on: .task()) { $0 &+ 1 } }
      // All links without a priority share one context.
      #expect(plain.requested == [164])
      let (_, urgent) = Allocations.counted { promise.map(on: .task(priority: .high)) { $0 &+ 1 } }
      // The context takes 40 (header 16, executor 16, priority 2).
      #expect(urgent.requested == [40, 164])
      let (_, executor) = Allocations.counted { promise.map(on: .executor(tasks)) { $0 &+ 1 } }
      // The context takes 32 (header 16, executor 16).
      #expect(executor.requested == [32, 164])
    }

    @Test("map, then, recover and onSettled on an actor have the committed allocations")
    func onActor() {
      let (_, map) = Allocations.counted { promise.map(isolatedTo: worker) { $1 &+ 1 } }
      // The blocks are the context (48: header 16, actor 16, executor 16), the closure that enters the actor (40:
      // header 16, actor 8, handler 16) and the link.
      #expect(map.requested == [40, 48, 164])
      let (_, then) = Allocations.counted { promise.then(isolatedTo: worker) { .fulfilled($1) } }
      #expect(then.requested == [40, 48, 164])
      let (_, recover) = Allocations.counted { promise.recover(isolatedTo: worker) { _, _ in 1 } }
      #expect(recover.requested == [40, 48, 164])
      let (_, settled) = Allocations.counted { promise.onSettled(isolatedTo: worker) { _, _ in } }
      #expect(settled.requested == [40, 48, 164])
    }

    @Test("tap, always, catch, rescue and validate on an actor have the committed allocations")
    func othersOnActor() {
      // The blocks 40, 48 and 164 are the same as for `map` and `then` on an actor. `tap` and `validate` are a `map`
      // with a wrapper around the closure, which takes 32 and 48.
      let (_, tap) = Allocations.counted { promise.tap(isolatedTo: worker) { _, _ in } }
      #expect(tap.requested == [32, 40, 48, 164])
      let (_, always) = Allocations.counted { promise.always(isolatedTo: worker) { _, _ in } }
      #expect(always.requested == [40, 48, 164])
      let (_, error) = Allocations.counted { promise.catch(isolatedTo: worker) { _, _ in } }
      #expect(error.requested == [40, 48, 164])
      let (_, rescue) = Allocations.counted { promise.rescue(isolatedTo: worker) { _, _ in .fulfilled(1) } }
      #expect(rescue.requested == [40, 48, 164])
      let (_, validate) = Allocations.counted { promise.validate(isolatedTo: worker) { _, value in value > 0 } }
      #expect(validate.requested == [40, 48, 48, 164])
    }

    @Test("map with both handlers on an actor has the committed allocations")
    func bothOnActor() {
      let (_, map) = Allocations.counted {
        promise.map(isolatedTo: worker, fulfilled: { $1 }, rejected: { _, _ in 0 })
      }
      // The blocks are the context (48), the closure that enters the actor for each handler (40), and the link.
      #expect(map.requested == [40, 40, 48, 200])
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
      let (_, dispatch) = Allocations.counted { queue.async {} }
      // The block of `queue.async` contains a closure that captures nothing (header 32, closure 16).
      #expect(dispatch.withoutContinuations == [48])
    }

    @Test("In release builds a handler on a concurrent queue is a barrier, but not with `.concurrent`")
    func barriers() async throws {
      let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
      // A false condition stops the process.
      _ = try await Promise.fulfilled(1).tap(on: queue) { _ in
        dispatchPrecondition(condition: .onQueueAsBarrier(queue))
      }.value
      let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
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
      let (_, plain) = Allocations.counted { Task.detached(executorPreference: tasks) {} }
      #expect(plain.requested == [288, 1016])
      #expect(Allocations.counted { tasks.run() }.allocations.requested == [])
    }
  }
}

private actor Worker {}
