import PromiseCombinators
import PromiseGates
import Testing

extension MemoryTests {
  /// Tests the allocations of operators on the main actor. In comparison with other contexts, there is also the closure
  /// that enters the main actor. `LinkMemoryTests` explains the lists.
  ///
  /// Other tests use a context of their own, which allocates a job (25). The main queue takes the entry itself.
  @Suite("Allocations on the main actor") @MainActor struct MainMemoryTests {
    private let deferred = Deferred<Int>()
    private var promise: Promise<Int> { deferred.promise }
    private let timers = HeldTimers()
    private let context = HeldJobs()
    /// The operation that a gate starts.
    private var begin: @Sendable () -> Promise<Int> { { [promise] in promise } }

    @Test("Links and observers on the main actor allocate one block")
    func links() {
      // All lists are the same as on a queue.
      expectAllocations([166]) { promise.then(on: .main) { .fulfilled($0) } }
      expectAllocations([166]) { promise.tap(on: .main) { _ in } }
      expectAllocations([166]) { promise.recover(on: .main) { _ in 1 } }
      expectAllocations([166]) { promise.always(on: .main) { _ in } }
      expectAllocations([166]) { promise.onSettled(on: .main) { _ in } }
    }

    @Test("run, init(on:), repeat, forEach and traverse on the main actor have the committed allocations")
    func loops() {
      // The block is the entry. The closure that enters the main actor is a constant.
      #expect(Allocations.counted { Promise.run(on: .main) { 1 } }.allocations.withoutContinuations == [166])
      // The list is the same as on another context. The closure that makes the owner takes 40 there, too.
      let (_, owner) = Allocations.counted { Promise<Int>(on: .main) { $0.fulfill(1) } }
      #expect(owner.withoutContinuations.total == Blocks(5, bytes: 536))
      let (_, step) = Allocations.counted { Promise.repeat(on: .main) { nil as Promise<Int>? } }
      // Unlike on another context, there is the closure that enters the main actor (32: header 16, body 16).
      #expect(step.withoutContinuations == [32, 40, 57, 166])
      let (_, forEach) = Allocations.counted { Promise.forEach(0..<1, on: .main) { .fulfilled($0) } }
      // The closure that enters the main actor also keeps a type (56).
      #expect(forEach.withoutContinuations.total == Blocks(6, bytes: 407))
      let (_, traverse) = Allocations.counted { Promise.traverse(0..<1, concurrency: 1, on: .main) { .fulfilled($0) } }
      // The closure that enters the main actor takes 56.
      #expect(traverse.withoutContinuations.total == Blocks(9, bytes: 724))
    }

    @Test("reduce, chain and retry on the main actor have the committed allocations")
    func reductions() {
      // The closure that enters the main actor takes 56 (header 16, body 16, types 24).
      expectAllocations(blocks: 5, bytes: 382) { promise.reduce(0..<1, on: .main) { .fulfilled($0 &+ $1) } }
      let (_, chain) = Allocations.counted { Promise.chain(0, [{ .fulfilled($0) }], on: .main) }
      // Unlike on another context, there is a list of closures that enter the main actor (48). Each closure takes 40,
      // and its adapters for the list and back take 40 each.
      #expect(chain.withoutContinuations.total == Blocks(9, bytes: 502))
      let (_, allocations) = Allocations.counted { Promise<Int>.retry(on: .main, timers: timers) { .fulfilled(1) } }
      // The closures that enter the main actor take 40 for an attempt and 32 for the predicate.
      #expect(allocations.withoutContinuations.total == Blocks(9, bytes: 757))
    }

    private func difference(_ onMain: () -> Promise<Int>, _ elsewhere: () -> Promise<Int>) -> [Int] {
      Allocations.counted(onMain).allocations.requested(beside: Allocations.counted(elsewhere).allocations)
    }

    private func gate() -> ReadersWriterGate { ReadersWriterGate() }
    private func rate() -> RateLimit { RateLimit(1, per: .seconds(1), timers: timers) }
    private func flights() -> SingleFlight<Int, Int> { SingleFlight() }

    @Test("A gate allocates one block more on the main actor than elsewhere")
    func gates() {
      // The block is the closure that enters the main actor.
      let expected = [40]
      #expect(difference({ SerialGate().run(on: .main, begin) }, { SerialGate().run(on: context, begin) }) == expected)
      #expect(
        difference({ ConcurrencyLimit(1).run(on: .main, begin) }, { ConcurrencyLimit(1).run(on: context, begin) })
          == expected)
      #expect(difference({ gate().read(on: .main, begin) }, { gate().read(on: context, begin) }) == expected)
      #expect(difference({ gate().write(on: .main, begin) }, { gate().write(on: context, begin) }) == expected)
      #expect(difference({ rate().run(on: .main, begin) }, { rate().run(on: context, begin) }) == [40])
      // The closure for `SingleFlight` also keeps the types of key and value.
      #expect(
        difference({ flights().run(for: 1, on: .main, begin) }, { flights().run(for: 1, on: context, begin) }) == [56])
    }

    @Test("Lazy promises on the main actor have the committed allocations")
    func lazy() {
      let (lazy, adopting) = Allocations.counted { [promise] in LazyPromise.adopting(on: .main) { promise } }
      // The closure that enters the main actor takes 40.
      #expect(adopting.requested.total == Blocks(6, bytes: 265))
      expectAllocations(blocks: 6, bytes: 289) { LazyPromise.run(on: .main) { 1 } }
      // The closure that enters the main actor keeps no type (32).
      expectAllocations(blocks: 6, bytes: 281) { LazyPromise<Int>(on: .main) { $0.fulfill(1) } }
      withExtendedLifetime(lazy) {}
    }
  }
}
