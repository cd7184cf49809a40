import Dispatch
import PromiseContexts
import TestSupport
import Testing

@Suite("Whether a dispatch queue is occupied by who asks", .bounded)
struct IsCurrentTests {
  let queue = DispatchQueue(label: "own")
  let other = DispatchQueue(label: "other")

  @Test("rule 7.2: the queue on which one is, in sync, async and in a handler, and not when it is over")
  func own() async throws {
    #expect(queue.isCurrent == nil)
    #expect(queue.sync { queue.isCurrent } == true)
    let inHandler = try await Promise.run(on: queue) { [queue] in queue.isCurrent }.value
    #expect(inHandler == true)
    let inBlock = await withCheckedContinuation { continuation in
      queue.async { [queue] in continuation.resume(returning: queue.isCurrent) }
    }
    #expect(inBlock == true && queue.isCurrent == nil)
  }

  @Test("rule 7.2: not on another queue, though it has the same label")
  func another() {
    let namesake = DispatchQueue(label: "own")
    #expect(queue.sync { (other.isCurrent, namesake.isCurrent) } == (nil, nil))
  }

  @Test("rule 7.2: of a sync around that of another queue Dispatch says nothing")
  func nested() {
    #expect(queue.sync { other.sync { other.isCurrent } } == true)
    #expect(queue.sync { other.sync { queue.isCurrent } } == nil)
  }

  @Test("rule 7.2: who is on a queue is on its target too, not the other way round")
  func target() {
    let child = DispatchQueue(label: "child", target: queue)
    let sibling = DispatchQueue(label: "sibling", target: queue)
    #expect(child.sync { [child.isCurrent, queue.isCurrent, sibling.isCurrent] } == [true, true, nil])
    #expect(queue.sync { [queue.isCurrent, child.isCurrent] } == [true, nil])
  }

  @Test("rule 7.2: the main queue, whichever object one has of it")
  func main() async {
    let onMain = await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume(returning: DispatchQueue.main.isCurrent) }
    }
    #expect(onMain == true)
    #expect(queue.sync { DispatchQueue.main.isCurrent } == nil)
  }

  @Test(
    "rule 7.2: of a global queue there is no way to tell, wherever one is",
    arguments: [DispatchQoS.QoSClass.default, .utility])
  func global(quality: DispatchQoS.QoSClass) {
    let global = DispatchQueue.global(qos: quality)
    #expect(global.isCurrent == nil)
    #expect(queue.sync { global.isCurrent } == nil)
    #expect(global.sync { global.isCurrent } == nil)
  }

  @Test("rule 7.2: a concurrent queue is occupied by barriers and by readers", arguments: [true, false])
  func concurrent(isBarrier: Bool) {
    let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
    #expect(concurrent.sync(flags: isBarrier ? .barrier : []) { concurrent.isCurrent } == true)
    #expect(concurrent.isCurrent == nil)
  }

  @Test("rule 8.1: threads that ask of the same queues at the same time do not disturb each other")
  func threads() {
    let wrong = Locked(0)
    let shared = DispatchQueue(label: "shared", attributes: .concurrent)
    let ask: @Sendable (Bool?) -> Void = { isInside in
      for _ in 0..<500 where shared.isCurrent != isInside { wrong.withLock { $0 += 1 } }
    }
    race([{ shared.sync { ask(true) } }, { shared.sync { ask(true) } }, { ask(nil) }, { ask(nil) }])
    #expect(wrong.withLock { $0 } == 0)
  }

  @Test("rule 7.2: contexts that cannot tell say so")
  func others() {
    let readers = ConcurrentContext.concurrent(queue)
    #expect(readers.isCurrent == nil && PoolContext.pool.isCurrent == nil)
    #expect(TaskContext.task().isCurrent == nil)
    let dotQueue: any ExecutionContext = .queue(queue)
    #expect(queue.sync { dotQueue.isCurrent } == true)
  }
}
