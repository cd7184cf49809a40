import PromiseGates
import Testing

extension MemoryTests {
  /// Tests the allocations of gates. `LinkMemoryTests` explains the lists.
  @Suite("Allocations of gates") struct GateMemoryTests {
    private let context = HeldJobs()
    private let timers = HeldTimers()
    private let deferred = Deferred<Int>()
    private var promise: Promise<Int> { deferred.promise }

    @Test("Empty gates have the committed allocations")
    func empty() {
      // Each of these four gates has an object (24: header 16, admission control 8) and an admission control (224),
      // which contains the name, the site, the queue, the alarm, the number of places and the rate window.
      expectAllocations([24, 224]) { SerialGate() }
      expectAllocations([24, 224]) { ConcurrencyLimit(4) }
      expectAllocations([24, 224]) { ReadersWriterGate() }
      expectAllocations([24, 224]) { RateLimit(4, per: .seconds(1), timers: timers) }
      // The fields after the header are the lock, the flights, two counts, the name and the site, and the unfinished
      // flights.
      expectAllocations([104]) { SingleFlight<Int, Int>() }
    }

    @Test("Each further operation that waits at a serial gate has the committed allocations")
    func waiting() {
      let gate = SerialGate()
      let inside = gate.run(on: context) { [promise] in promise }
      // The blocks are the promise of the admission (88), the ticket (40: header 16, ID 8, admission control 8, promise
      // of the admission 8), the closure that enters the gate (56: header 16, admission control 8, ticket 8, body 16,
      // type 8), the link's function (56: header 16, type 8, closure 16, ticket 16), and the result (166), which is the
      // link.
      Growth.expect(blocksPerStep: 5, bytes: 406) { count in
        (0..<count).map { _ in gate.run(on: context) { [promise] in promise } }
      }
      // A shared priority needs no further block.
      let priority = QueuePriority(1)
      Growth.expect(blocksPerStep: 5, bytes: 406) { count in
        (0..<count).map { _ in gate.run(on: context, queuePriority: priority) { [promise] in promise } }
      }
      withExtendedLifetime(inside) {}
    }

    @Test("A value that a cache has kept needs one block for its promise, and a read takes one block")
    func kept() {
      let cache = ValueCache<Int, Int>()
      let loaded = (0..<3).map { number in cache.value(for: number, on: context) { .fulfilled(number) } }
      context.run()
      expectAllocations([72]) { cache.value(for: 1, on: context) { .fulfilled(7) } }
      let (_, allocations) = Allocations.counted {
        for number in 0..<1_000 { blackHole(cache.cachedValue(for: number % 3)) }
      }
      // The search among the entries with the same hash value is not specialised for the type of the key.
      #expect(allocations.requested == Array(repeating: 40, count: 1_000))
      withExtendedLifetime(loaded) {}
    }

    /// Expects the allocations of each further operation that waits at a gate, enters it and leaves it. It keeps no
    /// block.
    private func expectGuest(
      blocks: Int, bytes: Int, sourceLocation: SourceLocation = #_sourceLocation,
      _ run: (@escaping @Sendable () -> Promise<Int>) -> Promise<Int>
    ) {
      let done = Promise.fulfilled(1)
      Growth.expect(blocksPerStep: blocks, bytes: bytes, kept: 0, sourceLocation: sourceLocation) { count in
        let results = (0..<count).map { _ in run { done } }
        while context.run() || timers.ring() {}
        blackHole(results)
      }
    }

    @Test("Each further operation at a serial gate, a limit or a readers-writer gate has the committed allocations")
    func serial() {
      let gate = SerialGate()
      // The blocks of a waiting operation are 40, 56, 56, 88 and 166, as above. The job takes 25. Inside the gate, the
      // blocks are the result of the body in two parts (56), the closure for the second part (48: header 16, ticket 16,
      // promise 8, promise of the admission 8), the function of the observer (32), and the observer (166). The body
      // returns a settled promise, so the result is settled through the queue of promises to fire (104).
      expectGuest(blocks: 11, bytes: 837) { gate.run(on: context, $0) }
      // The other lists are the same as for the serial gate.
      let limit = ConcurrencyLimit(4)
      let shared = ReadersWriterGate()
      expectGuest(blocks: 11, bytes: 837) { limit.run(on: context, $0) }
      expectGuest(blocks: 11, bytes: 837) { shared.read(on: context, $0) }
      expectGuest(blocks: 11, bytes: 837) { shared.write(on: context, $0) }
    }

    @Test("Each further operation that a rate limit starts, or that waits for it, has the committed allocations")
    func rate() {
      let (wide, narrow) = (
        RateLimit(1_000, per: .seconds(1), timers: timers), RateLimit(1, per: .seconds(1), timers: timers)
      )
      // The blocks are those of a waiting operation (40, 40, 56, 88 and 166), the job (25) and, as at the serial gate,
      // the queue (104). An operation that has started has already left a rate limit, so there is no observer.
      expectGuest(blocks: 7, bytes: 519) { wide.run(on: context, $0) }
      let first = narrow.run(on: context) { .fulfilled(1) }
      context.run()
      // The list is the same as at a serial gate.
      Growth.expect(blocksPerStep: 5, bytes: 390) { count in
        (0..<count).map { _ in narrow.run(on: context) { .fulfilled(1) } }
      }
      withExtendedLifetime(first) {}
    }

    @Test("Each further caller or key of a SingleFlight has the committed allocations")
    func sameKey() {
      let flights = SingleFlight<Int, Int>()
      let first = flights.run(for: 1, on: context) { [promise] in promise }
      // The block is the shield.
      Growth.expect(perStep: [166]) { count in
        (0..<count).map { _ in flights.run(for: 1, on: context) { [promise] in promise } }
      }
      withExtendedLifetime(first) {}
      context.run()
      let others = SingleFlight<Int, Int>()
      let done = Promise.fulfilled(1)
      // The blocks are the entrance (72), the flight (64: header 16, key 8, hash 8, two numbers 16, promise 8, flag 1 and
      // padding), the flight's promise (166), which is the link, the job (25), the shield (166), an observer (166) with a
      // closure (32), and a function around it (32). Two of the blocks of 40 bytes are the
      // link's function and the list of flights with the same hash. The body returns a settled promise, so there is the
      // queue of promises to fire (104).
      Growth.expect(blocksPerStep: 13, bytes: 980, kept: 0) {
        count in
        let results = (0..<count).map { others.run(for: $0, on: context) { done } }
        context.run()
        blackHole(results)
      }
    }
  }
}
