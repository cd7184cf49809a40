import Dispatch
import PromiseContexts
import TestSupport
import Testing

/// An actor whose handlers write to it without `await`.
private actor Ledger {
  private(set) var lines: [String] = []
  func write(_ line: String) { lines.append(line) }
}

@Suite("Links isolated to an actor", .bounded)
struct IsolatedTests {
  private let ledger = Ledger()

  @Test("Links for values run on the actor and can access its state", .rule("8.1"))
  func values() async throws {
    let end = Promise.fulfilled(1)
      .map(isolatedTo: ledger) { ledger, value in
        ledger.write("map")
        return value + 1
      }
      .then(isolatedTo: ledger) { ledger, value in
        ledger.write("then")
        return .fulfilled("\(value)")
      }
      .map(isolatedTo: ledger, to: Int.self) { ledger, text in
        ledger.write("map fulfilled")
        return Int(text) ?? 0
      } rejected: { _, _ in
        0
      }
      .then(isolatedTo: ledger) { ledger, value in
        ledger.write("then fulfilled")
        return .fulfilled(value)
      } rejected: { _, _ in
        .fulfilled(0)
      }
      .tap(isolatedTo: ledger) { ledger, value in ledger.write("tap \(value)") }
      .validate(isolatedTo: ledger) { ledger, _ in
        ledger.write("validate")
        return true
      }
      .compactMap(isolatedTo: ledger) { ledger, value in
        ledger.write("compactMap")
        return Optional(value * 10)
      }
      .always(isolatedTo: ledger) { ledger, _ in ledger.write("always") }
    #expect(try await value(of: end) == 20)
    let names = ["map", "then", "map fulfilled", "then fulfilled", "tap 2", "validate", "compactMap", "always"]
    #expect(await ledger.lines == names)
  }

  @Test("Links for errors run on the actor and can access its state")
  func errors() async throws {
    let end = Promise<Int>.rejected(TestError(1))
      .catch(isolatedTo: ledger) { ledger, _ in ledger.write("catch") }
      .catch(only: TestError.self, isolatedTo: ledger) { ledger, error in ledger.write("catch \(error.number)") }
      .mapError(isolatedTo: ledger) { ledger, _ in
        ledger.write("mapError")
        return TestError(2)
      }
      .recover(isolatedTo: ledger) { ledger, error in
        ledger.write("recover")
        throw error
      }
      .recover(from: TestError.self, isolatedTo: ledger) { ledger, error in
        ledger.write("recover \(error.number)")
        throw TestError(3)
      }
      .map(isolatedTo: ledger) { _, value in
        value
      } rejected: { ledger, error in
        ledger.write("map rejected")
        throw error
      }
      .then(isolatedTo: ledger) { _, value in
        .fulfilled(value)
      } rejected: { ledger, error in
        ledger.write("then rejected")
        return .rejected(error)
      }
      .rescue(isolatedTo: ledger) { ledger, error in
        ledger.write("rescue")
        return .fulfilled((error as? TestError)?.number ?? 0)
      }
    #expect(try await value(of: end) == 3)
    let names = ["catch", "catch 1", "mapError", "recover", "recover 2", "map rejected", "then rejected", "rescue"]
    #expect(await ledger.lines == names)
  }

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

  @Test("Observers run on the actor")
  func observers() async {
    for (index, promise) in [Promise.fulfilled(1), .rejected(TestError(2))].enumerated() {
      promise
        .onFulfilled(isolatedTo: ledger) { ledger, value in ledger.write("value \(value)") }
        .onRejected(isolatedTo: ledger) { ledger, error in ledger.write("error \((error as? TestError)?.number ?? 0)") }
        .onSettled(isolatedTo: ledger) { ledger, _ in ledger.write("settled") }
      _ = await outcome(of: promise.always(isolatedTo: ledger) { ledger, _ in ledger.write("always") })
      // Each handler of a promise that is already settled gets a hop of its own, and hops have no guaranteed order.
      while await ledger.lines.count < 3 * (index + 1) { await Task.yield() }
    }
    #expect(await ledger.lines.sorted() == ["always", "always", "error 2", "settled", "settled", "value 1"])
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
