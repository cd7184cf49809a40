import Dispatch
import TestSupport
import Testing

extension Stress {
  @Suite("Faults: queues and pools that run no handler for a long time", .bounded)
  struct SuspendedQueueTests {
    enum Queue: CaseIterable, Sendable {
      case serial, concurrent, barrier, target

      func make() -> (queue: DispatchQueue, context: any ExecutionContext) {
        let isConcurrent = self == .concurrent || self == .barrier
        let queue = DispatchQueue(label: "suspended", attributes: isConcurrent ? .concurrent : [])
        return switch self {
        case .serial, .barrier: (queue, .queue(queue))
        case .concurrent: (queue, .concurrent(queue))
        case .target: (queue, .queue(DispatchQueue(label: "above", target: queue)))
        }
      }
    }

    /// The fate of a handler while it cannot run.
    private enum Fate: Int, CaseIterable { case none, cancelled, givenUp, dropped, ownerDropped }

    @Test(
      "Thousands of handlers wait for a suspended queue, and the handlers that are left run when it resumes",
      .rule("2.1", "4.3", "6.1"), arguments: Queue.allCases)
    func resumed(_ kind: Queue) async {
      let (queue, context) = kind.make()
      let census = Tracked.Census()
      let log = Log<Int>()
      let count = Effort.of(5_000, full: 50_000)
      queue.suspend()
      var links: [Promise<Int>?] = []
      for number in 0..<count {
        let owner = Deferred<Int>()
        let link = owner.promise.map(on: context) { [tracked = Tracked(census)] value in
          log.append(number)
          return tracked.carrying(value)
        }
        switch Fate(rawValue: number % Fate.allCases.count) ?? .none {
        case .none, .dropped: owner.fulfill(number)
        case .cancelled:
          owner.fulfill(number)
          link.cancel()
        case .givenUp:
          link.cancel(upstream: true)
          owner.fulfill(number)
        case .ownerDropped: break
        }
        links.append(number % Fate.allCases.count == Fate.dropped.rawValue ? nil : link)
      }
      // Handlers that will never run have released their captures. The others wait, even if their promises are not
      // retained.
      #expect(census.living == count * 2 / 5)
      #expect(log.entries.isEmpty)
      #expect(links.compactMap { $0 }.count { $0.isPending } == count / 5)
      queue.resume()
      // This handler is behind the waiting handlers.
      await withCheckedContinuation { continuation in
        Promise.fulfilled(0).onFulfilled(on: context) { _ in continuation.resume() }
      }
      // On a concurrent queue, it may have run before them, so the test awaits every link.
      for link in links { _ = try? await link?.value }
      #expect(await eventually { census.living == 0 } && links.compactMap { $0 }.allSatisfy { !$0.isPending })
      let expected = (0..<count).filter { [0, 3].contains($0 % 5) }
      #expect(kind == .concurrent ? log.entries.sorted() == expected : log.entries == expected)
    }

    @Test(
      "Waiting handlers keep their suspended queue alive and run when it resumes", .rule("6.1"),
      arguments: Queue.allCases)
    func heldByHandlers(_ kind: Queue) async throws {
      let results: [Promise<Int>]
      do {
        let (queue, context) = kind.make()
        queue.suspend()
        results = (0..<1_000).map { number in Promise.fulfilled(number).map(on: context) { $0 + 1 } }
        #expect(results.allSatisfy { $0.isPending })
        queue.resume()
      }
      for (number, result) in results.enumerated() { #expect(try await result.value == number + 1) }
    }

    @Test("A cancel settles waiting promises even if the pool is full of blocked handlers")
    func manyBlocked() async throws {
      let pool = PoolContext(width: 2)
      let gate = Gate()
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
