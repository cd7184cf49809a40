import Foundation
import Synchronization
import TestSupport
import Testing

extension Stress {
  @Suite("The pool: handlers that block", .bounded)
  struct PoolTests {
    // Each test has its own pool, so that handlers of other tests in the shared pool cannot help.
    let pool = PoolContext(width: 1)

    @Test("64 handlers that block keep none of 10,000 other handlers from running")
    func blocking() async throws {
      let pool = PoolContext(width: 2)
      let gate = Gate()
      let blocked = (0..<64).map { _ in Promise.run(on: pool) { gate.wait("end of the short handlers") } }
      let ran = Atomic<Int>(0)
      // The last of these handlers opens the gate. The test does not, because others may need its thread meanwhile.
      let areBlocked = Answer<Bool>()
      for _ in 0..<10_000 {
        Promise.run(on: pool) {
          guard ran.add(1, ordering: .relaxed).newValue == 10_000 else { return }
          areBlocked(blocked.allSatisfy { $0.isPending })
          gate.open()
        }.onSettled(on: pool) { _ in }
      }
      for promise in blocked { try await promise.value }
      #expect(ran.load(ordering: .relaxed) == 10_000)
      #expect(areBlocked.value == true)
    }

    @Test("Handlers can wait for each other in a nest that is deeper than the pool has threads")
    func nestedWaits() async throws {
      let depth = try await Promise.run(on: pool) { [pool] in nested(100, on: pool) }.value
      #expect(depth == 100)
    }

    @Test("A handler made ready by a settlement runs even if that settlement then blocks its thread")
    func blockedSettlement() async throws {
      let gate = Gate()
      let start = Deferred<Void>()
      // The value is released after the second handler has returned and its promise is settled. The third handler is
      // then next on that thread.
      let third = start.promise.map(on: pool) { WaitsInDeinit(for: gate) }
        .map(on: pool) { _ in 2 }
        .map(on: pool) { _ in gate.open() }
      start.fulfill()
      try await third.value
    }

    @Test("Endless chains soon let other handlers run", arguments: [1, 8])
    func fairness(_ chains: Int) async throws {
      let isOver = Atomic<Bool>(false)
      let steps = Atomic<Int>(0)
      let stepsBetween = Atomic<Int>(-1)
      let ends = (0..<chains).map { [pool] _ in
        EndlessChain(on: pool) {
          if steps.add(1, ordering: .relaxed).newValue == 100 {
            Promise.run(on: pool) {
              stepsBetween.store(steps.load(ordering: .relaxed) - 100, ordering: .relaxed)
              isOver.store(true, ordering: .relaxed)
            }.onSettled(on: pool) { _ in }
          }
          return isOver.load(ordering: .relaxed)
        }.run()
      }
      for end in ends { try await end.value }
      // Each chain runs at most 64 links and the link that it has begun. Many more would run if the other handler
      // waited for the next inspection of the pool.
      #expect((0...65 * (chains + 1)).contains(stepsBetween.load(ordering: .relaxed)))
    }

    @Test("Handlers that compute get no substitute threads, however many handlers there are")
    func computing() async throws {
      let pool = PoolContext(width: 2)
      let running = Counter()
      let most = Counter()
      let promises = (0..<20).map { _ in
        Promise.run(on: pool) {
          most.value.max(running.value.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
          // The computation is long enough for several inspections of the pool.
          for _ in 0..<80 { compute() }
          running.value.subtract(1, ordering: .relaxed)
        }
      }
      for promise in promises { try await promise.value }
      #expect(most.value.load(ordering: .relaxed) <= 2)
    }

    @Test(
      "A handler that polls for another handler and sleeps in between does not keep it from running",
      arguments: [0, 10])
    func polling(work: Int) {
      let isDone = Atomic<Bool>(false)
      let polls = Promise.run(on: pool) {
        while !isDone.load(ordering: .acquiring) {
          for _ in 0..<work { compute() }
          rest(microseconds: 1000)
        }
      }
      Promise.run(on: pool) { isDone.store(true, ordering: .releasing) }
        .onSettled(on: pool) { _ in }
      let gate = Gate()
      polls.onSettled { _ in gate.open() }
      gate.wait("end of the handler that looks")
    }

    @Test("Two handlers that spin until both have started run at the same time")
    func sharing() async throws {
      let pool = PoolContext(width: 2)
      let arrived = Atomic<Int>(0)
      let promises = (0..<2).map { _ in
        Promise.run(on: pool) {
          arrived.add(1, ordering: .relaxed)
          while arrived.load(ordering: .relaxed) < 2 {}
        }
      }
      for promise in promises { try await promise.value }
    }

    @Test("A pool becomes no wider when blocked handlers resume")
    func returning() async throws {
      let running = Counter()
      let most = Counter()
      for _ in 0..<5 {
        let gate = Gate()
        let blocked = Promise.run(on: pool) { gate.wait("next handler") }
        let next = Promise.run(on: pool) { gate.open() }
        let others = (0..<10).map { _ in
          Promise.run(on: pool) {
            most.value.max(running.value.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
            for _ in 0..<8 { compute() }
            running.value.subtract(1, ordering: .relaxed)
          }
        }
        for promise in [blocked, next] + others { try await promise.value }
      }
      #expect(most.value.load(ordering: .relaxed) == 1)
    }

    @Test("Handlers that wait behind a blocked handler keep their order")
    func order() async throws {
      let gate = Gate()
      let log = Log<Int>()
      let start = Deferred<Int>()
      let blocked = start.promise.tap(on: pool) { _ in gate.wait("end of the others") }
      for number in 1...40 {
        start.promise.tap(on: pool) { _ in
          log.append(number)
          if number == 40 { gate.open() }
        }
      }
      start.fulfill(0)
      _ = try await blocked.value
      #expect(log.entries == Array(1...40))
    }

    @Test("Handlers scheduled from many threads run once each even if some of them block", .rule("2.1"))
    func once() async throws {
      let pool = PoolContext(width: 4)
      let threads = 8
      let each = 1_000
      let runs = (0..<threads * each).map { _ in Counter() }
      let promises = Locked<[Promise<Void>]>([])
      race(
        (0..<threads).map { thread in
          {
            for index in thread * each..<(thread + 1) * each {
              let promise = Promise.run(on: pool) {
                runs[index].value.add(1, ordering: .relaxed)
                if index.isMultiple(of: 499) { _ = nested(1, on: pool) }
              }
              promises.withLock { $0.append(promise) }
            }
          }
        })
      for promise in promises.withLock({ $0 }) { try await promise.value }
      #expect(runs.allSatisfy { $0.value.load(ordering: .relaxed) == 1 })
    }

    @Test("A job that a context gives to the pool twice runs once and harms no other job", .rule("2.1"))
    func twice() async throws {
      let context = RepeatingContext(pool)
      let ran = Atomic<Int>(0)
      let promises = (0..<1_000).map { _ in Promise.run(on: context) { ran.add(1, ordering: .relaxed) } }
      for promise in promises { _ = try await promise.value }
      #expect(ran.load(ordering: .relaxed) == 1_000)
    }
  }
}

/// Computes for some hundred microseconds, without memory or calls, which sanitizers would slow down.
@Sendable private func compute() {
  #if DEBUG
    let rounds = 50_000
  #else
    let rounds = 150_000
  #endif
  var round = 0
  var state = 1 as UInt64
  while round < rounds {
    state = state &* 6_364_136_223_846_793_005 &+ 1
    round += 1
  }
  lastState.store(state, ordering: .relaxed)
}

/// The result of a computation. It is stored so that an optimiser keeps the computation.
private let lastState = Atomic<UInt64>(0)

/// Makes the system suspend the thread for a while, so that the pool can see it asleep. No test waits for this time to
/// pass.
@Sendable private func rest(microseconds: Int) {
  var time = timeval(tv_sec: 0, tv_usec: numericCast(microseconds))
  _ = unsafe select(0, nil, nil, nil, &time)
}

/// Blocks its thread on the pool until another handler on the pool has ended, which waits in the same way, to the given
/// depth.
@Sendable private func nested(_ depth: Int, on pool: PoolContext) -> Int {
  guard depth > 0 else { return 0 }
  let gate = Gate()
  let inner = Promise.run(on: pool) { nested(depth - 1, on: pool) }
  inner.onSettled(on: pool) { _ in gate.open() }
  gate.wait("handler \(depth) levels from the end")
  return 1 + (inner.state.value ?? -1000)
}

private final class WaitsInDeinit: Sendable {
  private let gate: Gate
  init(for gate: Gate) { self.gate = gate }
  deinit { gate.wait("handler that was made ready by the settlement") }
}

private final class Counter: Sendable {
  let value = Atomic<Int>(0)
}

/// A chain whose handlers attach the next link to the promise that they are about to settle.
private final class EndlessChain: Sendable {
  private let pool: PoolContext
  private let isOver: @Sendable () -> Bool
  private let last = Locked<Promise<Void>?>(nil)
  private let end = Deferred<Void>()

  init(on pool: PoolContext, until isOver: @escaping @Sendable () -> Bool) {
    self.pool = pool
    self.isOver = isOver
  }

  func run() -> Promise<Void> {
    let start = Deferred<Void>()
    extend(start.promise)
    start.fulfill()
    return end.promise
  }

  private func extend(_ promise: Promise<Void>) {
    let next = promise.map(on: pool) { [self] in
      if isOver() { end.fulfill() } else if let mine = last.withLock({ $0 }) { extend(mine) }
    }
    last.withLock { $0 = next }
  }
}

private final class RepeatingContext: ExecutionContext {
  private let pool: PoolContext
  init(_ pool: PoolContext) { self.pool = pool }

  func schedule(_ job: consuming Job) {
    let job = consume job
    pool.schedule(job)
    pool.schedule(job)
  }
}
