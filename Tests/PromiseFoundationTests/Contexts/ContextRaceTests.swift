import Foundation
import PromiseFoundation
import TestSupport
import Testing

/// Races between the end of a context and a handler that is scheduled on it. The handler runs, or its promise is
/// rejected.
@Suite("Races for contexts", .leavingNothing, .bounded)
struct ContextRaceTests {
  private static let rounds = 200

  /// Counts how often each side came first.
  private struct Orders {
    var handler = 0
    var end = 0
    var areBothSeen: Bool { handler > 0 && end > 0 }
  }

  @Test("Handlers that are scheduled while their thread ends reject their promises", .rule("6.2", "8.1"))
  func threadEnds() async throws {
    var orders = Orders()
    for round in 0..<Self.rounds {
      let go = Gate()
      // The thread never runs its run loop, so handlers that are scheduled before its end stay pending until then.
      let context = try await ThreadProbe.startThread(named: "ending") { go.wait() }
      let (promises, waited) = (Log<Promise<Int>>(), Locked(0))
      race([
        { go.open() },
        {
          for number in 0..<round % 40 + 2 {
            let promise = Promise.fulfilled(number).map(on: context) { $0 }
            if promise.isPending { waited.withLock { $0 += 1 } }
            promises.append(promise)
          }
        },
      ])
      for promise in promises.entries {
        let error = await promise.failure
        #expect((error as? ThreadEndedError)?.threadName == "ending", "round \(round)")
      }
      let count = waited.withLock { $0 }
      if count > 0 { orders.handler += 1 }
      if count < promises.entries.count { orders.end += 1 }
    }
    #expect(orders.areBothSeen, "\(orders)")
  }

  @Test("A handler scheduled while the last context is released still runs, and the thread ends after it", .rule("6.1"))
  func lastContextGoes() async throws {
    let census = Tracked.Census()
    for _ in 0..<Self.rounds {
      let (owner, ended) = (Deferred<Int>(), Deferred<Void>())
      let context = Locked<ThreadContext?>(ThreadContext(named: "leaving"))
      let mapped: Promise<Int>
      do {
        let payload = Tracked(census)
        let held = try #require(context.withLock { $0 })
        mapped = owner.promise.map(on: held) { value in
          ThreadEnd.run { ended.fulfill() }
          return withExtendedLifetime(payload) { value + 1 }
        }
      }
      race([{ owner.fulfill(1) }, { context.withLock { $0 = nil } }])
      #expect(try await mapped.value == 2)
      try await ended.promise.value
    }
    #expect(census.living == 0)
  }

  @Test("A handler scheduled while operations are cancelled either runs or rejects its promise", .rule("6.2"))
  func operationsAreCancelled() async throws {
    let census = Tracked.Census()
    var orders = Orders()
    for round in 0..<Self.rounds {
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = round.isMultiple(of: 2) ? 1 : 4
      let runs = Locked(0)
      let owner = Deferred<Int>()
      let mapped = (0..<20).map { number in
        let payload = Tracked(census)
        return owner.promise.map(on: queue) { value in
          runs.withLock { $0 += 1 }
          return withExtendedLifetime(payload) { value + number }
        }
      }
      // On a busy machine the cancellation always comes too early or too late. So in some rounds the suspended queue
      // keeps its operations until the cancellation.
      queue.isSuspended = round % 4 == 3
      race([{ owner.fulfill(1) }, { for _ in 0..<4 { queue.cancelAllOperations() } }])
      if queue.isSuspended { queue.cancelAllOperations() }
      queue.isSuspended = false
      var fulfilled = 0
      for (number, promise) in mapped.enumerated() {
        guard let error = await promise.failure else {
          fulfilled += 1
          #expect(try await promise.value == 1 + number)
          continue
        }
        #expect(PromiseError.Code(error) == .contextDropped, "round \(round)")
      }
      #expect(runs.withLock { $0 } == fulfilled, "round \(round)")
      if fulfilled > 0 { orders.handler += 1 }
      if fulfilled < mapped.count { orders.end += 1 }
    }
    #expect(orders.areBothSeen, "\(orders)")
    // Foundation releases an operation a moment after it has run.
    #expect(await eventually { census.living == 0 })
  }
}
