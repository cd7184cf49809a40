import Synchronization
import TestSupport
import Testing

@Suite("The notice about the limit of the pool", .bounded) struct PoolLimitNoticeTests {
  private let lines = Log<String>()

  /// Starts handlers that block until the gate is open.
  private func block(_ count: Int, on pool: PoolContext, until gate: Gate) async -> [Promise<Void>] {
    let begun = Locked(0)
    let blocked = (0..<count).map { _ in
      Promise.run(on: pool) {
        _ = begun.increment()
        gate.wait("end of the test")
      }
    }
    #expect(await eventually { begun.withLock { $0 } == count })
    return blocked
  }

  /// Starts a computation that takes long enough for the watcher to look several times.
  private func compute(on pool: PoolContext) -> Promise<Void> {
    let rounds = Atomic<Int>(0)
    return Promise.run(on: pool) {
      while rounds.add(1, ordering: .relaxed).newValue < 3_000_000 {}
    }
  }

  @Test("The notice is given once, and names the limit and the guide")
  func once() {
    let notice = PoolLimitNotice { [lines] in lines.append($0) }
    race(Array(repeating: { notice.post(limit: 7) }, count: 2))
    notice.post(limit: 8)
    #expect(lines.entries.count == 1)
    #expect(lines.entries.first?.contains("7 threads") == true || lines.entries.first?.contains("8 threads") == true)
    #expect(lines.entries.first?.contains("Docs/Guides/Contexts.md") == true)
    #expect(lines.entries.first?.hasSuffix("\n") == true)
  }

  @Test("A pool gives the notice when a handler waits because others block all its threads, and goes on afterwards")
  func pool() async throws {
    let pool = PoolContext(width: 1, limit: 3, notice: PoolLimitNotice { [lines] in lines.append($0) })
    let gate = Gate()
    let blocked = await block(3, on: pool, until: gate)
    // There are as many handlers as threads, so no handler waits.
    #expect(lines.entries.isEmpty)
    let waiting = Promise.run(on: pool) {}
    #expect(await eventually { !lines.entries.isEmpty } && lines.entries.first?.contains("3 threads") == true)
    #expect(waiting.isPending)
    gate.open()
    for promise in blocked + [waiting] { try await promise.value }
  }

  @Test(
    "A pool gives no notice while one of its threads computes, even on more processors or beside blocking handlers",
    arguments: [(1, 0), (3, 0), (2, 2)])
  func computing(width: Int, blockedCount: Int) async throws {
    let notice = PoolLimitNotice { [lines] in lines.append($0) }
    let pool = PoolContext(width: width, limit: blockedCount + 1, notice: notice)
    let gate = Gate()
    let blocked = await block(blockedCount, on: pool, until: gate)
    let computing = compute(on: pool)
    let waiting = (0..<10).map { _ in Promise.run(on: pool) {} }
    for promise in [computing] + waiting { try await promise.value }
    #expect(lines.entries.isEmpty)
    gate.open()
    for promise in blocked { try await promise.value }
  }

  @Test("On more processors than threads, a pool uses two thirds of the threads for handlers that do not block")
  func sparedThreads() async throws {
    let pool = PoolContext(width: 8, limit: 3)
    let inside = Atomic<Int>(0)
    let most = Atomic<Int>(0)
    let rounds = Atomic<Int>(0)
    let computing = (0..<3).map { _ in
      Promise.run(on: pool) {
        most.max(inside.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
        // The handlers wait for each other for a while, without blocking.
        while most.load(ordering: .relaxed) < 3, rounds.add(1, ordering: .relaxed).newValue < 3_000_000 {}
        inside.subtract(1, ordering: .relaxed)
      }
    }
    for promise in computing { try await promise.value }
    #expect(most.load(ordering: .relaxed) <= 2)
  }
}
