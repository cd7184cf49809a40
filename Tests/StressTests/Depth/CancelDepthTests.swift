import TestSupport
import Testing

extension Stress {
  @Suite("Depth: cancelled loops, lines and wide promises")
  struct CancelDepthTests {
    enum Inner: CaseIterable, Sendable { case settled, pending }

    private static let rounds = Effort.of(4, full: 12)
    /// The bound for the payloads that are alive while the loop runs undisturbed. Each running step needs a few.
    private static let fewPayloads = 100
    /// The bound for the payloads that are alive while another thread cancels. The canceller settles the promises of
    /// the loop one after another. It releases their handlers and their settled sources, with the payloads, when
    /// all are settled. The scheduler decides how many promises are settled before that (at most 169 were seen). A
    /// loop that kept a payload for each step would keep thousands.
    private static let payloadsOfChase = 1_000

    private static let shortRounds = Effort.of(1_000, full: 20_000)

    /// A loop of `then` over inner promises that records its current step.
    private final class Loop: Sendable {
      let count: Int
      let inner: Inner
      let context = Trampoline()
      let census = Tracked.Census()
      let current = Locked<Deferred<Tracked>?>(nil)
      let steps = Locked(0)
      let hooks = Locked(0)
      /// The step that waits for a gate, if any.
      let pause: (step: Int, gate: Gate)?

      init(_ count: Int, _ inner: Inner, pause: (step: Int, gate: Gate)? = nil) {
        (self.count, self.inner, self.pause) = (count, inner, pause)
      }

      func step(_ number: Int) -> Promise<Int> {
        steps.withLock { $0 = number }
        if let pause, pause.step == number { pause.gate.wait("cancel") }
        if number == count { return .fulfilled(number) }
        let payload = Tracked(census)
        let promise = inner == .settled ? Promise.fulfilled(payload) : later()
        return promise.then(on: context) { value in withExtendedLifetime((value, payload)) { self.step(number + 1) } }
      }

      private func later() -> Promise<Tracked> {
        let deferred = Deferred<Tracked>()
        deferred.onCancel { [hooks] _ in hooks.withLock { $0 += 1 } }
        current.withLock { $0 = deferred }
        return deferred.promise
      }

      /// Runs jobs and fulfils inner promises until none is left.
      func run() {
        context.run()
        while let deferred = current.withLock({ $0.take() }) {
          deferred.fulfill(Tracked(census))
          context.run()
        }
      }
    }

    @Test(
      "A loop that another thread cancels at any step goes at most one step further, whether it is long or short",
      .rule("3.3", "4.2", "4.3", "4.4"), arguments: Inner.allCases, [true, false])
    func cancelled(_ inner: Inner, givesUp: Bool) {
      var random = Seeded(givesUp ? 7 : 11)
      let long = (0..<Self.rounds).count { round in
        // Most rounds cancel in the middle of the loop. Every fourth round certainly cancels near the start, because
        // the loop waits there for the canceller.
        let waits = round.isMultiple(of: 4)
        let moment = Int.random(in: waits ? 1..<4 : deep / 4..<deep / 2, using: &random)
        return isStopped(Loop(deep, inner, pause: waits ? (moment, Gate()) : nil), at: moment, givesUp: givesUp)
      }
      let short = (0..<Self.shortRounds).count { _ in
        let length = Int.random(in: 1..<40, using: &random)
        return isStopped(Loop(length, inner), at: Int.random(in: 0..<length, using: &random), givesUp: givesUp)
      }
      #expect(long > 0)
      #expect(short > 0)
    }

    /// Runs the loop while another thread cancels it at a step. Returns whether the cancel came in time.
    private func isStopped(_ loop: Loop, at moment: Int, givesUp: Bool) -> Bool {
      let outermost = Held(loop.step(0))
      let peakBefore = Answer<Int>()
      let reached = Answer<Int>()
      race([
        { loop.run() },
        {
          while loop.steps.withLock({ $0 }) < moment {}
          peakBefore(loop.census.peak)
          outermost.object?.cancel(upstream: givesUp)
          reached(loop.steps.withLock { $0 })
          loop.pause?.gate.open()
        },
      ])
      loop.run()
      let isCancelled = outermost.object?.isCancelled == true
      if isCancelled {
        // A handler that was running during the cancel may have begun another step.
        #expect(loop.steps.withLock { $0 } <= (reached.value ?? 0) + 1, "cancelled at \(moment) of \(loop.count)")
      } else {
        #expect(outermost.object?.state.value == loop.count, "cancelled at \(moment) of \(loop.count)")
      }
      outermost.drop()
      #expect(loop.census.living == 0, "cancelled at \(moment) of \(loop.count)")
      #expect((peakBefore.value ?? .max) < Self.fewPayloads, "before the cancel at \(moment) of \(loop.count)")
      #expect(loop.census.peak < Self.payloadsOfChase, "cancelled at \(moment) of \(loop.count)")
      return isCancelled
    }

    @Test(
      "A loop that waits for a promise keeps few objects alive and is cancelled through all its adoptions at once",
      .rule("3.3", "4.4"), arguments: [true, false], DeepThread.most)
    func waiting(givesUp: Bool, _ thread: DeepThread) async {
      await thread.expect {
        let loop = Loop(deep + 1, .pending)
        let outermost = loop.step(0)
        var waiting = loop.current.withLock { $0 }
        for _ in 0..<deep {
          waiting?.fulfill(Tracked(loop.census))
          loop.context.run()
          waiting = loop.current.withLock { $0 }
        }
        let ranFlat = outermost.isPending && loop.steps.withLock { $0 } == deep && loop.census.peak < Self.fewPayloads
        outermost.cancel(upstream: givesUp)
        // Both forms of cancel give up the source of the adopted link.
        let isCancelled = outermost.isCancelled && waiting?.promise.isCancelled == true
        let isReleased = loop.hooks.withLock { $0 } == 1 && loop.census.living == 0
        waiting?.fulfill(Tracked(loop.census))
        loop.context.run()
        return ranFlat && isCancelled && isReleased && loop.steps.withLock { $0 } == deep
      }
    }

    /// The length of a line. Quick runs use a fifth of the depth. Recursion would still overflow the small stack, and
    /// nonlinear time would still show.
    private static let long = Effort.of(deep / 5, full: deep)

    @Test(
      "A cancel during another cancel of a long line of held promises cancels every promise", .rule("4.3", "6.4"),
      arguments: [true, false], DeepThread.some)
    func meeting(recovers: Bool, _ thread: DeepThread) async {
      await thread.expect {
        let context = Trampoline()
        let source = Promise.fulfilled(0)
        let inner = Deferred<Int>()
        var line = [source.then(on: context) { _ in inner.promise }]
        context.run()
        // The cancel of `inner` fires this observer first.
        _ = inner.promise.attachObserver(on: nil, handling: .error) { _, _ in
          source.cancel()
          return .nothing
        }
        for index in 0..<Self.long {
          line.append(recovers ? line[index].recover(on: context) { _ in 0 } : line[index].map(on: context) { $0 })
        }
        inner.promise.cancel()
        context.run()
        defer { while line.popLast() != nil {} }
        return line.allSatisfy { $0.isCancelled }
      }
    }

    @Test(
      "A promise with 100,000 links cancels all of them and releases their captures", .rule("4.2", "4.9"),
      arguments: DeepThread.most)
    func wide(_ thread: DeepThread) async {
      let census = Tracked.Census()
      await thread.expect {
        let context = Trampoline()
        let owner = Deferred<Int>()
        let links = (0..<100_000).map { _ in
          owner.promise.map(on: context) { [tracked = Tracked(census)] in tracked.carrying($0) }
        }
        owner.promise.cancel()
        return links.allSatisfy { $0.isCancelled } && census.living == 0
      }
    }
  }
}
