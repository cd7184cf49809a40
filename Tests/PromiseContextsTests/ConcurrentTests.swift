import Dispatch
import TestSupport
import Testing

@Suite("Contexts on which handlers overlap", .bounded) struct ConcurrentTests {
  enum Context: CaseIterable, Sendable {
    case concurrentQueue, globalQueue, global, globalWithoutParentheses, globalQoS, dispatchGlobal, pool, task
    case function, block

    var context: any ExecutionContext {
      let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
      return switch self {
      case .concurrentQueue: .concurrent(queue)
      case .globalQueue: .concurrent(.global())
      case .global: .global()
      case .globalWithoutParentheses: .global
      case .globalQoS: .global(qos: .userInitiated)
      // Global queues ignore barriers (rule 2.7).
      case .dispatchGlobal: .queue(.global())
      case .pool: .pool
      // Has a higher priority than the tests, which may keep their threads busy for longer than a gate waits.
      case .task: .task(priority: .high)
      case .function: SubmittingContext(queue, asBarrier: false, usingBlock: false)
      case .block: SubmittingContext(queue, asBarrier: false, usingBlock: true)
      }
    }
  }

  @Test(
    "Two handlers run at the same time, of two promises or of one settlement", .rule("2.2", "2.7"),
    arguments: Context.allCases, [false, true])
  func overlapping(_ kind: Context, isOneSettlement: Bool) async {
    let context = kind.context
    // Swift concurrency may have a single thread, so the handler beside that of `.task` runs on the pool.
    let contexts: [any ExecutionContext] = [context, kind == .task ? PoolContext.pool : context]
    let gates = [Gate(), Gate()]
    let owners = (0..<2).map { _ in Deferred<Int>() }
    let promises = (0..<2).map { index in
      owners[isOneSettlement ? 0 : index].promise.tap(on: contexts[index]) { _ in
        gates[index].open()
        gates[1 - index].wait("other handler")
      }
    }
    for owner in owners { owner.fulfill(1) }
    for promise in promises { _ = try? await promise.value }
    #expect(promises.allSatisfy { $0.isFulfilled })
  }

  @Test("A barrier handler waits for the overlapping handlers on its queue", .rule("2.7"))
  func readersAndWriter() async {
    let queue = DispatchQueue(label: "both", attributes: .concurrent)
    let log = Log<String>()
    let gates = [Gate(), Gate()]
    let readers = (0..<2).map { index in
      Promise.fulfilled(index).tap(on: .concurrent(queue)) { index in
        gates[index].open()
        gates[1 - index].wait("other reader")
        log.append("reader")
      }
    }
    let writer = Promise.fulfilled(1).tap(on: queue) { _ in log.append("writer") }
    let late = Promise.fulfilled(1).tap(on: .concurrent(queue)) { _ in log.append("late reader") }
    for promise in readers + [writer, late] { _ = try? await promise.value }
    #expect(log.entries == ["reader", "reader", "writer", "late reader"])
  }
}
