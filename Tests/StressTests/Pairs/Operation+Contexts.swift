import Dispatch
import TestSupport

/// Contexts with threads of their own, and the promises that two threads make there.
final class ContextStage: Sendable {
  static let queue = DispatchQueue(label: "race of contexts")
  static let concurrentQueue = DispatchQueue(label: "race of contexts", attributes: .concurrent)
  static let pool = PoolContext(width: 2)

  let source = Deferred<Int>()
  private let made = Locked<[AnyPromise]>([])
  private let census = Tracked.Census()

  func keep(_ promise: AnyPromise) { made.withLock { $0.append(promise) } }

  /// Waits until all promises are settled.
  func conclude() throws {
    source.fulfill(1)
    let ended = DispatchGroup()
    for promise in made.withLock({ $0 }) {
      ended.enter()
      promise.whenSettled { ended.leave() }
    }
    ended.wait()
  }
}

extension Operation<ContextStage> {
  /// Operations that give a context a job to run.
  static let ofContexts: [Operation] = [
    .acting("run on the pool") { $0.keep(Promise.run(on: ContextStage.pool) { 1 }) },
    .acting("run on the pool, and cancel") { stage in
      let promise = Promise.run(on: ContextStage.pool) { 1 }
      promise.cancel()
      stage.keep(promise)
    },
    .acting("a batch on the pool") { stage in
      let owner = Deferred<Int>()
      for _ in 0..<5 { stage.keep(owner.promise.map(on: ContextStage.pool) { $0 }) }
      owner.fulfill(1)
    },
    .acting("a chain on the pool") { stage in
      stage.keep(stage.source.promise.map(on: ContextStage.pool) { $0 }.map(on: ContextStage.pool) { $0 })
    },
    .acting("settle what they wait for") { $0.source.fulfill(1) },
    .acting("run on a queue") { $0.keep(Promise.run(on: ContextStage.queue) { 1 }) },
    .acting("run on a concurrent queue, alone") { $0.keep(Promise.run(on: ContextStage.concurrentQueue) { 1 }) },
    .acting("run on a concurrent queue") { $0.keep(Promise.run(on: .concurrent(ContextStage.concurrentQueue)) { 1 }) },
    .acting("a task") { $0.keep(Promise.task { 1 }) },
    .acting("a task, and cancel") { stage in
      let task = Promise<Int>.task {
        try Task.checkCancellation()
        return 1
      }
      task.cancel()
      stage.keep(task)
    },
    .acting("an async link") { $0.keep($0.source.promise.asyncMap { $0 + 1 }) },
    .acting("an async link, and cancel") { stage in
      let link = stage.source.promise.asyncMap { $0 + 1 }
      link.cancel()
      stage.keep(link)
    },
  ]
}
