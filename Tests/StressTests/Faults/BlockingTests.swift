import Dispatch
import PromiseContexts
import TestSupport
import Testing

extension Stress {
  @Suite("Faults: handlers that block", .bounded)
  struct BlockingTests {
    enum Blocked: CaseIterable, Sendable {
      case serialQueue, barrierOfQueue, actor, pool

      /// Attaches a handler that runs the body in this place.
      func attach(_ body: @escaping @Sendable () -> Void, to promise: Promise<Int>, _ place: BlockedPlace) -> Promise<
        Int
      > {
        switch self {
        case .serialQueue: promise.tap(on: place.serial) { _ in body() }
        case .barrierOfQueue: promise.tap(on: place.concurrent) { _ in body() }
        case .actor: promise.tap(isolatedTo: place) { _, _ in body() }
        case .pool: promise.tap(on: place.pool) { _ in body() }
        }
      }
    }

    @Test(
      "Handlers behind a blocking handler wait, are released at once when cancelled, and later run in order on queues",
      .rule("2.1", "4.3"),
      arguments: Blocked.allCases)
    func behind(_ blocked: Blocked) async throws {
      let place = BlockedPlace()
      let (begun, gate, census, log) = (Gate(), Gate(), Tracked.Census(), Log<Int>())
      let owner = Deferred<Int>()
      let blocker = blocked.attach(
        {
          begun.open()
          gate.wait("others")
        }, to: owner.promise, place)
      let (count, cancelled) = (1_000, 500)
      owner.fulfill(1)
      begun.wait()
      let waiting = (0..<count).map { number in
        blocked.attach(
          { [tracked = Tracked(census)] in tracked.carrying(log.append(number)) }, to: owner.promise, place)
      }
      // A substitute thread of the pool may run waiting handlers, and may be about to settle one of their promises
      // (rule 4.3).
      if blocked != .pool {
        #expect(waiting.allSatisfy { $0.isPending } && log.entries.isEmpty && census.living == count)
      }
      for promise in waiting.suffix(cancelled) { promise.cancel() }
      if blocked != .pool {
        #expect(waiting.suffix(cancelled).allSatisfy { $0.isCancelled } && census.living == count - cancelled)
      }
      // Handlers on other contexts do not wait.
      let elsewhere = try await owner.promise.map(on: .pool) { $0 + 1 }.map(on: DispatchQueue(label: "free")) { $0 + 1 }
        .value
      #expect(elsewhere == 3 && blocker.isPending)
      for promise in waiting.suffix(cancelled) { _ = try? await promise.value }
      gate.open()
      for promise in waiting.prefix(count - cancelled) { _ = try await promise.value }
      #expect(try await blocker.value == 1)
      let ran = log.entries.filter { $0 < count - cancelled }
      #expect(
        blocked == .pool || blocked == .actor
          ? Set(ran).count == ran.count && ran.count == count - cancelled : ran == Array(0..<count - cancelled))
    }

    @Test("A cancel settles waiting promises even if the pool is full of blocked handlers")
    func manyBlocked() async throws {
      let (pool, gate) = (PoolContext(width: 2), Gate())
      let blocked = (0..<32).map { _ in Promise.run(on: pool) { gate.wait("the end of the test") } }
      let owner = Deferred<Int>()
      let waiting = (0..<1_000).map { _ in owner.promise.map(on: pool) { $0 } }
      owner.fulfill(1)
      for promise in waiting { promise.cancel() }
      // A substitute thread of the pool may be about to settle one of these promises (rule 4.3). None of them waits for
      // the gate.
      for promise in waiting { _ = try? await promise.value }
      gate.open()
      for promise in blocked { try await promise.value }
    }
  }
}

/// The places that handlers block. They are an actor and the contexts that it holds.
actor BlockedPlace {
  let serial: any ExecutionContext = DispatchQueue(label: "serial")
  let concurrent: any ExecutionContext = .queue(DispatchQueue(label: "concurrent", attributes: .concurrent))
  let pool = PoolContext(width: 1)
}
