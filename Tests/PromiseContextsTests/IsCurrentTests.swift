import Dispatch
import TestSupport
import Testing

@Suite("Detection of the current dispatch queue", .bounded) struct IsCurrentTests {
  let queue = DispatchQueue(label: "own")
  let other = DispatchQueue(label: "other")

  @Test("A queue is current in its sync calls, its blocks and its handlers, and not afterwards", .rule("7.2"))
  func own() async throws {
    #expect(queue.isCurrent == nil)
    #expect(queue.sync { queue.isCurrent } == true)
    let inHandler = try await Promise.run(on: queue) { [queue] in queue.isCurrent }.value
    #expect(inHandler == true)
    let inBlock = await withCheckedContinuation { continuation in
      queue.async { [queue] in continuation.resume(returning: queue.isCurrent) }
    }
    #expect(inBlock == true)
    #expect(queue.isCurrent == nil)
  }

  @Test("Of other queues, only the target is current, even with the same label or outside a nested call", .rule("7.2"))
  func others() {
    let namesake = DispatchQueue(label: "own")
    #expect(queue.sync { (other.isCurrent, namesake.isCurrent) } == (nil, nil))
    #expect(queue.sync { other.sync { [other.isCurrent, queue.isCurrent] } } == [true, nil])
    let child = DispatchQueue(label: "child", target: queue)
    let sibling = DispatchQueue(label: "sibling", target: queue)
    #expect(child.sync { [child.isCurrent, queue.isCurrent, sibling.isCurrent] } == [true, true, nil])
    #expect(queue.sync { [queue.isCurrent, child.isCurrent] } == [true, nil])
  }

  @Test("isCurrent recognizes the main queue, whichever object refers to it", .rule("7.2"))
  func main() async {
    let onMain = await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume(returning: DispatchQueue.main.isCurrent) }
    }
    #expect(onMain == true)
    #expect(queue.sync { DispatchQueue.main.isCurrent } == nil)
  }

  @Test(
    "isCurrent is nil for a global queue and its context, wherever the caller runs", .rule("7.2"),
    arguments: [DispatchQoS.QoSClass.default, .utility])
  func global(quality: DispatchQoS.QoSClass) async throws {
    let global = DispatchQueue.global(qos: quality)
    #expect(try await Promise.run(on: global) { ConcurrentContext.concurrent(global).isCurrent }.value == nil)
    #expect(global.isCurrent == nil)
    #expect(queue.sync { global.isCurrent } == nil)
    #expect(global.sync { global.isCurrent } == nil)
  }

  @Test("A concurrent queue is current for barriers and for readers", .rule("7.2"), arguments: [true, false])
  func concurrent(isBarrier: Bool) {
    let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
    #expect(concurrent.sync(flags: isBarrier ? .barrier : []) { concurrent.isCurrent } == true)
    #expect(concurrent.isCurrent == nil)
  }

  @Test("Threads that query the same queues at the same time do not disturb each other", .rule("8.1"))
  func threads() {
    let wrong = Locked(0)
    let shared = DispatchQueue(label: "shared", attributes: .concurrent)
    let ask: @Sendable (Bool?) -> Void = { isInside in
      for _ in 0..<500 where shared.isCurrent != isInside { wrong.withLock { $0 += 1 } }
    }
    race([{ shared.sync { ask(true) } }, { shared.sync { ask(true) } }, { ask(nil) }, { ask(nil) }])
    #expect(wrong.withLock { $0 } == 0)
  }

  @Test("Contexts that cannot tell whether they are current return nil", .rule("7.2"))
  func unknown() {
    let readers = ConcurrentContext.concurrent(queue)
    #expect([readers.isCurrent, PoolContext.pool.isCurrent, TaskContext.task().isCurrent] == [nil, nil, nil])
    let dotQueue: any ExecutionContext = .queue(queue)
    #expect(queue.sync { dotQueue.isCurrent } == true)
  }
}
