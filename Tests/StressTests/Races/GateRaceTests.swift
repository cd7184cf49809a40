import PromiseCombinators
import Synchronization
import TestSupport
import Testing

extension Stress {
  /// Many threads at one gate, some of which give up at any moment.
  @Suite(.serialized)
  struct GateRaceTests {
    /// A gate, whatever its kind: lets a closure in.
    private typealias Entry = @Sendable (_ isWriter: Bool, @escaping Body) -> Promise<Int>
    private typealias Body = @Sendable () throws -> Promise<Int>

    private static func gate(_ kind: Int) -> Entry {
      switch kind {
      case 0:
        let gate = SerialGate()
        return { _, body in gate.run(body) }
      case 1:
        let gate = Limit(3)
        return { _, body in gate.run(body) }
      default:
        let gate = ReadersWriterGate()
        return { isWriter, body in isWriter ? gate.write(body) : gate.read(body) }
      }
    }

    /// Who is inside.
    private final class Room: Sendable {
      private let count = Atomic<Int>(0)
      private let most = Atomic<Int>(0)
      /// How many were there beside a writer.
      private let beside = Atomic<Int>(0)
      var peak: Int { most.load(ordering: .relaxed) }
      var besideWriter: Int { beside.load(ordering: .relaxed) }
      var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

      func enter(_ isWriter: Bool) {
        let now = count.add(1, ordering: .sequentiallyConsistent).newValue
        _ = most.max(now, ordering: .relaxed)
        if isWriter { beside.add(now - 1, ordering: .relaxed) }
      }

      func leave() { count.subtract(1, ordering: .sequentiallyConsistent) }
    }

    @Test(
      "rules 6.2 8.2, row N12: never more inside than places, and no place is lost, whoever gives up when",
      arguments: 0..<3)
    func places(_ kind: Int) async throws {
      for round in 0..<Effort.of(10, full: 100) {
        let run = Self.gate(kind)
        let room = Room()
        let results = Log<Promise<Int>>()
        race(
          (0..<4).map { thread in
            {
              for number in 0..<40 {
                let isWriter = kind != 1 && number % 5 == 0
                let result = run(isWriter) {
                  room.enter(isWriter)
                  if number % 7 == 0 {
                    room.leave()
                    throw TestError(number)
                  }
                  let promise = number % 3 == 0 ? Promise.fulfilled(number) : .run { number }
                  promise.whenSettled { room.leave() }
                  return promise
                }
                results.append(result)
                if (number &* 31 &+ thread &+ round) % 4 == 0 { result.cancel() }
                if number % 3 == 0 { results.entries[number / 2].cancel() }
              }
            }
          })
        for result in results.entries { _ = try? await result.value }
        // Who was cancelled inside may not be out yet.
        _ = try await run(true) { .fulfilled(0) }.value
        // All places are free again: so many get in before one leaves.
        let owner = Deferred<Int>()
        let entered = (0..<[1, 3, 5][kind]).map { _ in Deferred<Int>() }
        let last = entered.map { entered in
          run(false) {
            entered.fulfill(1)
            return owner.promise
          }
        }
        for entered in entered { #expect(try await entered.promise.value == 1) }
        #expect(room.isEmpty && room.besideWriter == 0 && room.peak <= [1, 3, .max][kind])
        owner.fulfill(2)
        for result in last { #expect(try await result.value == 2) }
      }
    }

    @Test("rule 4.4, row N12: who joins a flight while the others give up is not cancelled with them")
    func flights() async throws {
      for _ in 0..<Effort.of(100, full: 1_000) {
        let flights = SingleFlight<Int, Int>()
        let results = Log<Promise<Int>>()
        race(
          (0..<4).map { thread in
            {
              for number in 0..<50 {
                let result = flights.run(number % 3) { .run { number } }
                switch (number + thread) % 4 {
                case 0: result.cancel()
                case 1: result.abandon()
                default: results.append(result)
                }
              }
            }
          })
        for result in results.entries { #expect(try await result.value >= 0) }
      }
    }

    @Test("rules 1.3 8.2, row B11: a lazy promise is started, asked for and cancelled at the same time")
    func lazy() async throws {
      for round in 0..<Effort.of(500, full: 5_000) {
        let reports = Log<SecondSettlement>()
        let owner = Deferred<Int>()
        Diagnostics.scoped(secondSettlement: reports.append) {
          let first = LazyPromise.adopting { owner.promise }
          let last = first.map { $0 }.derive { $0.map { $0 } }
          race([
            { last.start() }, { last.promise.cancel() }, { last.cancel() },
            { first.start() },
          ])
          #expect(last.isCancelled && last.promise.isCancelled && first.isStarted)
        }
        owner.fulfill(round)
        #expect(reports.entries.isEmpty)
      }
    }

    @Test("rules 4.8 8.2, row E11: a traversal is cancelled while it goes on, and nothing of it is left pending")
    func traversal() async throws {
      for round in 0..<Effort.of(100, full: 1_000) {
        let made = Log<Promise<Int>>()
        let all = Promise.traverse(0..<200, concurrency: 4) { number in
          let promise = Promise.run { number }.map { $0 }
          made.append(promise)
          return promise
        }
        race([{ if !round.isMultiple(of: 4) { all.cancel() } }, { made.entries.first?.cancel() }])
        _ = try? await all.value
        for promise in made.entries { _ = try? await promise.value }
        #expect(!all.isPending)
      }
    }
  }
}
