import PromiseCombinators
import TestSupport
import Testing

extension Stress {
  @Suite("Memory: consumers that give up, and long loops")
  struct GivingUpMemoryTests {
    /// The last promises of a loop, which a client retains.
    private final class Ring: Sendable {
      private let promises: Locked<(kept: [Promise<Int>], next: Int)>
      private let size: Int

      init(_ size: Int) {
        self.size = size
        promises = Locked((Array(repeating: .fulfilled(0), count: size), 0))
      }

      func keep(_ promise: Promise<Int>) {
        guard size > 0 else { return }
        // The old promise is released outside the lock.
        let old = promises.withLock { state in
          let old = state.kept[state.next % size]
          state.kept[state.next % size] = promise
          state.next += 1
          return old
        }
        withExtendedLifetime(old) {}
      }

      var kept: [Promise<Int>] { promises.withLock { $0.kept } }
    }

    /// A loop of `b[i].then { step(i + 1) }` whose last step waits for work behind a link.
    private final class Loop: Sendable {
      let count: Int
      let isPending: Bool
      let ring: Ring
      let work = StoppableWork()
      let context = Trampoline()
      let growth = Locked(0)
      /// The source of the fourth step, which a client retains.
      let early = Locked<Promise<Int>?>(nil)
      private let before = residentBytes()
      private let current = Locked<Deferred<Int>?>(nil)

      init(_ count: Int, isPending: Bool, keeping size: Int) {
        (self.count, self.isPending, ring) = (count, isPending, Ring(size))
      }

      func step(_ number: Int) -> Promise<Int> {
        if number == count { return work.promise.map(on: context) { $0 } }
        if number % (count / 20) == count / 20 - 1 {
          let grown = residentBytes(trimming: false) - before
          growth.withLock { $0 = max($0, grown) }
        }
        let deferred = Deferred<Int>()
        if isPending { current.withLock { $0 = deferred } } else { deferred.fulfill(number) }
        if number == 3 { early.withLock { $0 = deferred.promise } }
        let promise = deferred.promise.then(on: context) { self.step($0 + 1) }
        ring.keep(promise)
        return promise
      }

      func run() -> Promise<Int> {
        let first = step(0)
        context.run()
        var number = 0
        while let deferred = current.withLock({ $0.take() }) {
          deferred.fulfill(number)
          number += 1
          context.run()
        }
        return first
      }
    }

    @Test(
      "A loop runs in flat memory even if its last ten steps are retained, and a cancel of the first step stops it",
      .rule("3.3", "6.1"), arguments: [0, 10], [false, true])
    func loop(size: Int, isPending: Bool) {
      var growth = Int.max
      // Extra rounds measure again if the growth is too high, because something else may have grown (see
      // `leastGrowth`). Every second round cancels the source of an early step.
      for round in 0..<6 where round < 2 || growth >= Effort.flat {
        let loop = Loop(Effort.steps, isPending: isPending, keeping: size)
        let first = loop.run()
        #expect(first.isPending && loop.work.goesOn)
        growth = min(growth, loop.growth.withLock { $0 })
        // The library may have bypassed the step below this source, so the cancel may have no effect.
        if round % 2 == 1 { loop.early.withLock { $0 }?.cancel(upstream: true) }
        first.cancel(upstream: true)
        #expect(first.isCancelled && loop.work.isStopped)
        #expect(size == 0 || loop.ring.kept.allSatisfy { $0.isCancelled })
      }
      print("figures: \(Effort.steps) steps, \(size) kept, pending: \(isPending), \(growth) bytes more than before")
      #expect(growth < Effort.flat)
    }

    /// A consumer that leaves a promise which goes on.
    enum Leaver: CaseIterable, Sendable {
      case link, shield, combinator, follower

      func leave(_ promise: Promise<Int>, by form: CancelForm, _ context: ManualContext, _ tracked: Tracked) {
        switch self {
        case .link: form.apply(to: promise.map(on: context) { value in withExtendedLifetime(tracked) { value } })
        case .shield: form.apply(to: promise.shielded())
        case .combinator: form.apply(to: Promise.all([promise, promise]))
        case .follower:
          let follower = Deferred<Int>()
          follower.follow(promise)
          form.apply(to: follower.promise)
        }
      }
    }

    @Test(
      "A promise keeps a small constant amount of memory for the consumers that gave it up", .rule("4.9", "4.10"),
      arguments: Leaver.allCases, CancelForm.allCases)
    func leavers(_ leaver: Leaver, _ form: CancelForm) {
      let (work, context, census) = (StoppableWork(), ManualContext(), Tracked.Census())
      let other = work.promise.map(on: context) { $0 }
      expectGrowth(below: Effort.flat) {
        for _ in 0..<Effort.many { leaver.leave(work.promise, by: form, context, Tracked(census)) }
      }
      #expect(census.living == 0 && work.goesOn && other.isPending)
    }
  }
}
