import Dispatch
import PromiseFoundation

import class Foundation.OperationQueue

extension Operation {
  /// Operations that schedule handlers. Each handler has captured a tracked object.
  static let contexts: [Operation] = [
    scheduling("ConcurrentContext.schedule(_:)") { .concurrent(DispatchQueue(label: "queue")) },
    scheduling("ExecutionContext.concurrent(_:)") { .concurrent(DispatchQueue(label: "queue")) },
    scheduling("ExecutionContext.queue(_:)") { .queue(DispatchQueue(label: "queue")) },
    scheduling("DispatchQueue.schedule(_:)") { DispatchQueue(label: "queue", attributes: .concurrent) },
    scheduling("DispatchQueue.schedule(batch:)", count: 3) { DispatchQueue(label: "queue") },
    scheduling("ExecutionContext.schedule(batch:)", count: 3) { .global() },
    scheduling("ExecutionContext.global(qos:)") { .global() },
    scheduling("ExecutionContext.executor(_:)") { .executor(globalConcurrentExecutor) },
    scheduling("TaskExecutorContext.schedule(_:)") { .executor(globalConcurrentExecutor) },
    scheduling("ExecutionContext.task(priority:)") { .task() },
    scheduling("TaskContext.schedule(_:)") { .task(priority: .high) },
    scheduling("PoolContext.schedule(_:)") { .pool },
    scheduling("PoolContext.schedule(batch:)", count: 3) { .pool },
    scheduling("OperationQueue.schedule(_:)") { OperationQueue() },
    scheduling("ThreadContext.schedule(_:)") { ThreadContext(named: "thread") },
    scheduling("ThreadContext.schedule(batch:)", count: 3) { ThreadContext(named: "thread") },
    scheduling("ThreadContext.init(named:qualityOfService:stackSize:)") {
      ThreadContext(named: "thread", stackSize: 1 << 20)
    },
    Operation(doing: "Job.run()") { try jobs($0) { $0.run() } },
    Operation(doing: "Job.reject(_:)") { scene in try jobs(scene) { $0.reject(scene.error()) } },
  ]

  private static func scheduling(
    _ name: String, count: Int = 1, on context: @escaping @Sendable () -> any ExecutionContext
  ) -> Operation {
    Operation(name) { scene in
      let context = context()
      let handlers = (0..<count).map { _ in
        scene.source.always(on: context) { [tracked = scene.capture()] _ in tracked.carrying(()) }
      }
      // All handlers are results. The last handler has a link, which is a result in its place.
      for handler in handlers.dropLast() { scene.add(handler) }
      return handlers[count - 1].map(on: context) { [tracked = scene.capture()] value in tracked.carrying(value) }
    }
  }

  /// Passes a job to the body. The scene retains a copy of the job until the test ends.
  private static func jobs(_ scene: Scene, _ body: (Job) -> Void) throws {
    let context = ManualContext()
    _ = Promise.fulfilled(scene.value()).map(on: context) { [tracked = scene.capture()] value in tracked.carrying(value)
    }
    if let job = context.takeFirst() {
      body(job)
      scene.keep(job)
    }
  }
}
