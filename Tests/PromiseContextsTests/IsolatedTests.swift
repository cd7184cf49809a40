import Dispatch
import PromiseContexts
import TestSupport
import Testing

@Suite("Links isolated to an actor", .bounded)
struct IsolatedTests {
  @Test(
    "Handlers of one settlement on one actor run in order, in a single hop", .rule("2.2"), arguments: [false, true])
  func oneHop(othersBetween: Bool) async throws {
    let counting = CountingActor()
    let deferred = Deferred<Int>()
    for number in 0..<50 {
      deferred.promise.onFulfilled(isolatedTo: counting) { counting, _ in counting.numbers.append(number) }
      if othersBetween { deferred.promise.onFulfilled { _ in } }
    }
    let end = deferred.promise.map(isolatedTo: counting) { counting, _ in counting.numbers }
    deferred.fulfill(1)
    let numbers = try await value(of: end)
    #expect(counting.hops == 1)
    #expect(numbers == Array(0..<50))
  }

  @Test("Handlers retain their actor, which is released once they have run", .rule("6.1"))
  func released() async {
    let deferred = Deferred<Int>()
    weak var probe: Ledger?
    let end = {
      let ledger = Ledger()
      probe = ledger
      return deferred.promise.map(isolatedTo: ledger) { ledger, _ in ledger.write("ran") }
    }()
    #expect(probe != nil)
    deferred.fulfill(1)
    _ = await outcome(of: end)
    // The Task that ran the handlers on the actor may retain the actor for a moment longer.
    #expect(await eventually { probe == nil })
  }
}

/// An actor that counts its executor's jobs.
private actor CountingActor {
  private final class Executor: SerialExecutor {
    let count = Locked(0)
    private let queue = DispatchQueue(label: "actor")

    func enqueue(_ job: consuming ExecutorJob) {
      count.withLock { $0 += 1 }
      let job = UnownedJob(job)
      queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  private let executor = Executor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
  nonisolated var hops: Int { executor.count.withLock { $0 } }
  var numbers: [Int] = []
}
