import PromiseCombinators
import Testing

extension MemoryTests {
  /// What gates take. Lists as in `LinkMemoryTests`.
  @Suite("Allocations of gates")
  struct GateMemoryTests {
    private let shelf = Shelf()
    private let timers = HeldTimers()
    private let deferred = Deferred<Int>()
    private var promise: Promise<Int> { deferred.promise }

    @Test("Empty gates have the committed allocations")
    func empty() {
      // Gate 24: header 16, admission control 8. Admission control 208: its name and site, the queue in it, the alarm,
      // the rate window.
      // Four gates of one kind.
      #expect(Allocations.counted { SerialGate() }.allocations.requested == [24, 208])
      #expect(Allocations.counted { Limit(4) }.allocations.requested == [24, 208])
      #expect(Allocations.counted { ReadersWriterGate() }.allocations.requested == [24, 208])
      #expect(
        Allocations.counted { RateLimit(4, per: .seconds(1), timers: timers) }.allocations.requested == [24, 208])
      // Header 16, lock 8, flights 8, count 8.
      #expect(Allocations.counted { SingleFlight<Int, Int>() }.allocations.requested == [80])
    }

    @Test("Each further operation that waits at a serial gate has the committed allocations")
    func waiting() {
      let gate = SerialGate()
      let inside = gate.run(on: shelf) { [promise] in promise }
      let growth = Growth.counted { count in (0..<count).map { _ in gate.run(on: shelf) { [promise] in promise } } }
      // The promise of admission 80, the registration 32 (header 16, ID 8, admission control 8), the closure that
      // enters 56 (admission control 8, registration 8, body 16, type 8), the link's function 40 (header 16, type 8,
      // closure 16), and the result 164, which is the link.
      #expect(growth.perStep == [32, 40, 56, 80, 164])
      withExtendedLifetime(inside) {}
    }

    /// One more who comes, is let in, and is done.
    private func guest(_ run: (@escaping @Sendable () -> Promise<Int>) -> Promise<Int>) -> Growth {
      let done = Promise.fulfilled(1)
      return Growth.counted { count in
        let results = (0..<count).map { _ in run { done } }
        while shelf.run() || timers.ring() {}
        blackHole(results)
      }
    }

    @Test("Each further operation through a serial gate has the committed allocations and keeps no block")
    func serial() {
      let gate = SerialGate()
      let growth = guest { gate.run(on: shelf, $0) }
      // As one who waits (see above): 32, 40, 56, 80, 164. The job 25. Inside: the closure that leaves 32 (admission
      // control 8, ID 8), two functions around it 32 and 32, and the observer 164. The promise of the body is settled,
      // so the result settles as that does: the queue of what is to be fired 96.
      #expect(growth.perStep == [25, 32, 32, 32, 32, 40, 56, 80, 96, 164, 164])
      #expect(growth.kept == 0)
    }

    @Test("Each further operation through a limit has the committed allocations and keeps no block")
    func limit() {
      let gate = Limit(4)
      let growth = guest { gate.run(on: shelf, $0) }
      // As the serial gate.
      #expect(growth.perStep == [25, 32, 32, 32, 32, 40, 56, 80, 96, 164, 164])
      #expect(growth.kept == 0)
    }

    @Test("Each further reader or writer has the committed allocations and keeps no block")
    func readersWriter() {
      let gate = ReadersWriterGate()
      let reader = guest { gate.read(on: shelf, $0) }
      // As the serial gate, both.
      #expect(reader.perStep == [25, 32, 32, 32, 32, 40, 56, 80, 96, 164, 164])
      #expect(reader.kept == 0)
      let writer = guest { gate.write(on: shelf, $0) }
      #expect(writer.perStep == [25, 32, 32, 32, 32, 40, 56, 80, 96, 164, 164])
      #expect(writer.kept == 0)
    }

    @Test("Each further operation that a rate limit starts at once has the committed allocations and keeps no block")
    func rate() {
      let gate = RateLimit(1_000, per: .seconds(1), timers: timers)
      let growth = guest { gate.run(on: shelf, $0) }
      // As one who waits (see above), the job 25, and the queue 96 as at the serial gate. A guest that has started has
      // left the gate, so there is no observer.
      #expect(growth.perStep == [25, 32, 40, 56, 80, 96, 164])
      #expect(growth.kept == 0)
    }

    @Test("Each further operation that waits at a rate limit has the committed allocations and no timer of its own")
    func waitingForTime() {
      let gate = RateLimit(1, per: .seconds(1), timers: timers)
      let first = gate.run(on: shelf) { .fulfilled(1) }
      shelf.run()
      let growth = Growth.counted { count in (0..<count).map { _ in gate.run(on: shelf) { .fulfilled(1) } } }
      // As at a serial gate.
      #expect(growth.perStep == [32, 40, 56, 80, 164])
      withExtendedLifetime(first) {}
    }

    @Test("Each further caller that joins a running flight has the committed allocations")
    func sameKey() {
      let flights = SingleFlight<Int, Int>()
      let first = flights.run(1, on: shelf) { [promise] in promise }
      let growth = Growth.counted { count in (0..<count).map { _ in flights.run(1, on: shelf) { [promise] in promise } }
      }
      // The shield 164, its observer 164, function 32 and closure 32.
      #expect(growth.perStep == [32, 32, 164, 164])
      withExtendedLifetime(first) {}
    }

    @Test("Each further key of a SingleFlight has the committed allocations and keeps no block")
    func otherKey() {
      let flights = SingleFlight<Int, Int>()
      let done = Promise.fulfilled(1)
      let growth = Growth.counted { count in
        let results = (0..<count).map { flights.run($0, on: shelf) { done } }
        shelf.run()
        blackHole(results)
      }
      // The entrance 72. The flight 57 (header 16, key 8, hash 8, promise 8, two numbers 16, flag 1), its promise 164,
      // which is the link, and the job 25. The shield 164. Two observers 164 with a closure 32 each, one function 32
      // around the closure of the shield's, and two around that of the flight's. Two of the blocks of 40 are the link's
      // function and the list of flights with that hash. The promise of the body is settled: the queue of what is to be
      // fired 96.
      #expect(
        growth.perStep == [25, 32, 32, 32, 32, 32, 40, 40, 40, 40, 57, 72, 96, 164, 164, 164, 164])
      #expect(growth.kept == 0)
    }
  }
}
