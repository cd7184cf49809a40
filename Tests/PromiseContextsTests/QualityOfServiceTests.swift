import Dispatch
import TestSupport
import Testing

#if os(Linux)
  import Glibc
#endif

@Suite("The quality of service of handlers", .rule("2.9"), .bounded) struct QualityOfServiceTests {
  @Test(
    "A Task of a handler has the priority of its context, whatever the priority of the settling Task is",
    arguments: [TaskPriority.background, .high])
  func tasks(settling: TaskPriority) async throws {
    let deferred = Deferred<Void>()
    let low = deferred.promise.map(on: .task(priority: .low)) { Task.currentPriority }
    let high = deferred.promise.map(on: .task(priority: .high)) { Task.currentPriority }
    let standard = deferred.promise.map(on: .task) { Task.currentPriority }
    let onExecutor = deferred.promise.map(on: .executor(globalConcurrentExecutor)) { Task.currentPriority }
    let onActor = deferred.promise.map(isolatedTo: EmptyActor()) { _, _ in Task.currentPriority }
    // This test does not await the Task, because that would raise its priority.
    let priority = Deferred<TaskPriority>()
    Task.detached(priority: settling) {
      priority.fulfill(Task.currentPriority)
      deferred.fulfill()
    }
    #expect(try await priority.promise.value == settling)
    #expect(try await low.value == .low)
    #expect(try await high.value == .high)
    #expect(try await standard.value == .medium)
    #expect(try await onExecutor.value == .medium)
    #expect(try await onActor.value == .medium)
  }

  #if os(Linux)
    @Test("Handlers on the pool run at the default quality of service, whatever that of the settling thread is")
    func pool() async throws {
      let own = PoolContext(width: 1)
      let standard = await Quality.ofBlock(on: DispatchQueue(label: "default", qos: .default))
      for pool in [.pool, own] {
        for settling in [DispatchQoS.QoSClass.background, .userInteractive] {
          let deferred = Deferred<Void>()
          let both = deferred.promise.map(on: pool) { Quality.current }.map(on: pool) { [$0, Quality.current] }
          DispatchQueue.global(qos: settling).async { deferred.fulfill() }
          #expect(try await both.value == [standard, standard])
        }
      }
    }

    @Test("Handlers on the main actor run at the quality of the main thread, whatever that of the settling thread is")
    func main() async throws {
      let standard = await Quality.ofBlock(on: .main)
      for settling in [DispatchQoS.QoSClass.background, .userInteractive] {
        let deferred = Deferred<Void>()
        // Two handlers of one settlement are a batch, and the other is scheduled separately.
        let batch = (0..<2).map { _ in deferred.promise.map(on: .main) { Quality.current } }
        let single = batch[0].map(on: .main) { _ in Quality.current }
        DispatchQueue.global(qos: settling).async { deferred.fulfill() }
        for promise in batch + [single] { #expect(try await promise.value == standard) }
      }
    }

    @Test("Handlers on a queue or a global queue run at its quality of service", arguments: [false, true])
    func queues(isConcurrent: Bool) async throws {
      for quality in [DispatchQoS.background, .utility, .default, .userInitiated, .userInteractive, .unspecified] {
        let queue = DispatchQueue(label: "own", qos: quality, attributes: isConcurrent ? .concurrent : [])
        let deferred = Deferred<Void>()
        // Two handlers of one settlement are a batch, and the others are scheduled separately.
        let batch = (0..<2).map { _ in deferred.promise.map(on: queue) { Quality.current } }
        let single = batch[0].map(on: queue) { _ in Quality.current }
        let beside = batch[0].map(on: .concurrent(queue)) { _ in Quality.current }
        DispatchQueue.global(qos: .userInteractive).async { deferred.fulfill() }
        for promise in batch + [single, beside] {
          #expect(try await promise.value == Quality.ofBlock(on: queue))
        }
        let global = Promise.fulfilled(()).map(on: .global(qos: quality.qosClass)) { Quality.current }
        #expect(try await global.value == Quality.ofBlock(on: .global(qos: quality.qosClass)))
      }
    }
  #endif
}

private actor EmptyActor {}

#if os(Linux)
  /// The quality of service of a thread, as far as Linux shows it.
  private struct Quality: Equatable {
    /// The class of the queue on which the thread runs, as a number of Dispatch.
    let queue: CUnsignedInt
    /// The nice value of the thread. Dispatch gives a higher value to a thread of a lower class.
    let niceness: CInt

    static var current: Quality {
      Quality(
        queue: unsafe qualityClass(of: currentQueue(), nil),
        niceness: getpriority(numericCast(PRIO_PROCESS.rawValue), 0))
    }

    /// Returns the quality of service of a block that a client submits to the queue.
    static func ofBlock(on queue: DispatchQueue) async -> Quality {
      await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: .current) } }
    }
  }

  // Both functions are in Dispatch, but its Swift module does not declare them.

  @_silgen_name("dispatch_get_current_queue")
  private func currentQueue() -> UnsafeRawPointer

  @_silgen_name("dispatch_queue_get_qos_class")
  private func qualityClass(of queue: UnsafeRawPointer, _ priority: UnsafeMutablePointer<CInt>?) -> CUnsignedInt
#endif
