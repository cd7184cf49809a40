import Dispatch
import PromiseContexts
import TestSupport
import Testing

extension Stress {
  @Suite("Depth: loops of a million steps")
  struct LoopTests {
    /// The state of the promise of each step.
    enum Inner: CaseIterable, Sendable { case settled, pending, rejected }
    enum Context: CaseIterable, Sendable { case serialQueue, pool }

    /// A loop that waits for a promise in each step and starts the next step from its handler.
    private struct Loop: Sendable {
      let count: Int
      let inner: Inner
      let context: any ExecutionContext
      let census: Tracked.Census
      let most = Locked(0)
      let elsewhere = DispatchQueue(label: "elsewhere")

      func step(_ number: Int) -> Promise<Int> {
        if number == count { return .fulfilled(number) }
        if number.isMultiple(of: count / 20) {
          let resident = residentBytes(trimming: false)
          most.withLock { $0 = max($0, resident) }
        }
        let payload = Tracked(census)
        switch inner {
        case .settled: return Promise.fulfilled(payload).then(on: context) { next(number, $0, payload) }
        case .pending: return later(payload).then(on: context) { next(number, $0, payload) }
        case .rejected:
          return Promise<Int>.rejected(TestError(number)).rescue(on: context) { _ in next(number, payload, payload) }
        }
      }

      private func next(_ number: Int, _ value: Tracked, _ capture: Tracked) -> Promise<Int> {
        withExtendedLifetime((value, capture)) { step(number + 1) }
      }

      private func later(_ payload: Tracked) -> Promise<Tracked> {
        Promise { deferred in elsewhere.async { deferred.fulfill(payload) } }
      }
    }

    @Test(
      "A recursive then or rescue loop runs in flat memory", .rule("3.3"), arguments: Inner.allCases,
      Context.allCases)
    func flat(_ inner: Inner, _ context: Context) async {
      let queue: any ExecutionContext = context == .pool ? .pool : DispatchQueue.forChains
      let bound = 64 << 20
      // The test measures again only if the growth is too high, because something else may have grown (see
      // `leastGrowth`).
      var growth = Int.max
      for _ in 0..<3 where growth >= bound {
        let census = Tracked.Census()
        let loop = Loop(count: deep, inner: inner, context: queue, census: census)
        let before = residentBytes()
        let end = Answer<Int>()
        await withCheckedContinuation { continuation in
          loop.step(0).onSettled(on: queue) {
            end((try? $0.get()) ?? -1)
            continuation.resume()
          }
        }
        #expect(end.value == deep)
        #expect(census.peak < 100)
        growth = min(growth, loop.most.withLock { $0 } - before)
      }
      #expect(growth < bound)
    }

    @Test("Every observed promise in the middle of a loop is fulfilled with the value of the loop", .rule("2.2", "3.3"))
    func watched() async {
      let queue = DispatchQueue.forChains
      let census = Tracked.Census()
      let seen = Locked(0)
      let loop = Loop(count: 10_000, inner: .settled, context: queue, census: census)
      @Sendable func step(_ number: Int) -> Promise<Int> {
        let promise = Promise.fulfilled(number).then(on: queue) { number in
          number == loop.count ? .fulfilled(number) : step(number + 1)
        }
        promise.onFulfilled(on: queue) { value in seen.withLock { $0 += value == loop.count ? 1 : 0 } }
        return promise
      }
      await withCheckedContinuation { continuation in
        step(0).onSettled(on: queue) { _ in continuation.resume() }
      }
      // A single settlement schedules the handlers of all promises before any later block, so this block runs after
      // them.
      queue.sync {}
      #expect(seen.withLock { $0 } == loop.count + 1)
    }

    @Test("A loop can be inspected from another thread while it runs", .rule("3.3", "8.2"))
    func lookedAt() {
      let context = Trampoline()
      let ended = Answer<Bool>()
      let looked = Gate()
      @Sendable func step(_ number: Int) -> Promise<Int> {
        // The loop waits here for the first look, so that another thread certainly looks while the loop runs. Later
        // looks come at any time.
        if number == 10_000 { looked.wait("first look") }
        return Promise.fulfilled(number).then(on: context) { $0 == 20_000 ? .fulfilled($0) : step($0 + 1) }
      }
      let outermost = step(0)
      let behind = outermost.always(on: context) { _ in }
      let looks = Answer<Int>()
      race([
        {
          context.run()
          ended(true)
        },
        {
          var count = 0
          while ended.value == nil {
            count += 1
            _ = (outermost.isPending, outermost.result, behind.root, behind.parent)
            if count == 1 { looked.open() }
            if count.isMultiple(of: 100) { outermost.onRejected(on: context) { _ in } }
          }
          looks(count)
        },
      ])
      context.run()
      #expect((try? behind.result?.get()) == 20_000)
      #expect((looks.value ?? 0) > 0)
    }
  }
}
