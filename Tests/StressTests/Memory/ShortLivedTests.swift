import PromiseCombinators
import TestSupport
import Testing

extension Stress {
  @Suite("Memory: many short-lived links, followers, observers and waiters")
  struct ShortLivedTests {
    let census = Tracked.Census()
    let context = ManualContext()

    /// Attaches links that handle values, errors or both, or that adopt, and an observer below a link.
    private static let links:
      [@Sendable (Promise<Int>, ManualContext, _ body: @escaping @Sendable () -> Void) -> Void] =
        [
          { promise, context, body in promise.map(on: context) { _ in body() }.onSettled(on: context) { _ in } },
          { promise, context, body in _ = promise.then(on: context) { try giving(.fulfilled($0), after: body) } },
          { promise, context, body in promise.catch(on: context) { _ in body() } },
          { promise, context, body in promise.catch(only: TestError.self, on: context) { _ in body() } },
          { promise, context, body in _ = promise.rescue(on: context) { _ in try giving(.fulfilled(1), after: body) } },
          { promise, context, body in
            _ = promise.map(on: context, fulfilled: { _ in body() }, rejected: { _ in body() })
          },
          { promise, context, body in promise.always(on: context) { _ in body() } },
        ]

    @Test(
      "A million short-lived links on one settled promise, beside a held link, leave no trace", .rule("6.1"),
      arguments: [true, false])
    func links(isFulfilled: Bool) {
      let promise = isFulfilled ? Promise.fulfilled(1) : .rejected(TestError(1))
      let held = promise.map(on: context) { $0 }
      context.runUntilIdle()
      expectGrowth(below: Effort.bound(ofRounds: Effort.many)) {
        for index in 0..<Effort.many {
          Self.links[index % Self.links.count](promise, context) { [tracked = Tracked(census)] in
            withExtendedLifetime(tracked) {}
          }
          context.runUntilIdle()
        }
      }
      #expect(census.living == 0)
      #expect(census.peak <= 2)
      withExtendedLifetime(held) {}
    }

    @Test("A million short-lived followers of one settled promise leave no trace", .rule("6.1"))
    func followers() {
      let promise = Promise.fulfilled(Tracked(census))
      expectGrowth(below: Effort.bound(ofRounds: Effort.many)) {
        for _ in 0..<Effort.many { Deferred<Tracked>().follow(promise) }
      }
      #expect(census.living == 1)
    }

    @Test(
      "Many detached observers of one pending promise leave at most a small constant amount of memory", .rule("4.9"))
    func detachedObservers() {
      let deferred = Deferred<Int>()
      let log = Log<Int>()
      expectGrowth(below: Effort.bound(ofRounds: Effort.many)) {
        for _ in 0..<Effort.many {
          let payload = Tracked(census)
          deferred.promise.attachObserver(on: nil, handling: [.value, .error]) { _, _ in
            withExtendedLifetime(payload) { log.append(1) }
            return .nothing
          }.detach()
        }
      }
      deferred.fulfill(1)
      #expect(log.entries == [])
      #expect(census.living == 0)
    }

    /// A consumer that leaves a promise which goes on.
    enum Leaver: CaseIterable, Sendable {
      case link, shield, combinator, follower, traversal

      func leave(_ promise: Promise<Int>, by form: CancelForm, _ context: ManualContext, _ tracked: Tracked) {
        switch self {
        case .link: form.apply(to: promise.map(on: context) { value in withExtendedLifetime(tracked) { value } })
        case .shield: form.apply(to: promise.shielded())
        case .combinator: form.apply(to: Promise.all([promise, promise]))
        case .follower:
          let follower = Deferred<Int>()
          follower.follow(promise)
          form.apply(to: follower.promise)
        case .traversal:
          let all = Promise.traverse(0..<2, concurrency: 2, until: .finished, on: context) { _ in
            withExtendedLifetime(tracked) { promise }
          }
          context.runUntilIdle()
          form.apply(to: all)
        }
      }
    }

    @Test(
      "A promise keeps a small constant amount of memory for the consumers that gave it up", .rule("4.9", "4.10"),
      arguments: Leaver.allCases, CancelForm.allCases)
    func leavers(_ leaver: Leaver, _ form: CancelForm) {
      let work = StoppableWork()
      let other = work.promise.map(on: context) { $0 }
      // A traversal is a hundred times as slow as a link.
      let count = leaver == .traversal ? Effort.many / 5 : Effort.many
      expectGrowth(below: Effort.bound(ofRounds: count)) {
        for _ in 0..<count { leaver.leave(work.promise, by: form, context, Tracked(census)) }
      }
      #expect(census.living == 0)
      #expect(work.goesOn)
      #expect(other.isPending)
    }

    @Test(
      "Many waiters, cancelled one by one or together among waiters that stay, leave at most a small amount of memory",
      .rule("4.9"), arguments: [1, 1_000])
    func cancelledWaiters(together count: Int) throws {
      let deferred = Deferred<Int>()
      let executor = ManualExecutor()
      let staying = (0..<(count == 1 ? 0 : 100)).map { _ in AwaitingTask(for: deferred.promise) }
      for waiter in staying { waiter.run() }
      expectGrowth(below: Effort.bound(ofRounds: Effort.many)) {
        for _ in 0..<Effort.many / count {
          let tasks = (0..<count).map { _ in
            Task(executorPreference: executor) { [promise = deferred.promise] in _ = try? await promise.value }
          }
          executor.runUntilIdle()
          for task in tasks { task.cancel() }
          executor.runUntilIdle()
        }
      }
      #expect(deferred.promise.isPending)
      deferred.fulfill(1)
      for waiter in staying { try #require(waiter.outcome() == 1) }
    }

    @Test(
      "A line of adopters that grows at its end and is released at its beginning keeps nothing", .rule("4.2", "6.1"),
      arguments: [1, 2, 40])
    func lineOfAdopters(count: Int) {
      let few = (0..<count).map { Promise.fulfilled($0) }
      let ready = few[0]
      let length = 50_000
      expectGrowth(below: Effort.bound(ofRounds: length)) {
        var tail = ready
        for index in 0..<length {
          tail = tail.then(on: context) { [inner = few[index % few.count]] _ in inner }
          if context.count > 1 { context.step() }
        }
        #expect(tail.isPending)
        ready.cancel()
        #expect(tail.isCancelled)
        context.runUntilIdle()
      }
    }

    /// Closures that return the next promise of a line. A cancel of `owner` reaches that promise, whether it is settled
    /// or not.
    private static let steps: [@Sendable (_ owner: Promise<Int>, _ last: Promise<Int>, ManualContext) -> Promise<Int>] =
      [
        { owner, _, context in owner.recover(on: context) { _ in 0 } },
        { _, last, context in last.recover(on: context) { _ in 0 } },
        { _, last, context in last.recover(on: context) { _ in 0 }.map(on: context) { $0 } },
        { owner, last, context in
          let below = last.rescue(on: context) { _ in owner }
          context.step()
          return below.recover(on: context) { _ in 0 }
        },
      ]

    @Test("A line that is cancelled again below each new link leaves no trace", .rule("4.2", "6.1"), arguments: 0..<4)
    func cancelledLine(_ step: Int) {
      let owner = Promise<Int>.rejected(CancellationError())
      let count = 20_000
      expectGrowth(below: Effort.bound(ofRounds: count)) {
        var last = owner
        for _ in 0..<count {
          last = Self.steps[step](owner, last, context)
          owner.cancel()
          if !last.isCancelled { break }
          context.runUntilIdle()
        }
        #expect(last.isCancelled)
      }
    }

    @Test("Many progress iterators of one promise leave nothing behind", .rule("4.9"))
    func manyIterators() {
      let deferred = Deferred<Int>()
      expectGrowth(below: Effort.bound(ofRounds: Effort.many)) {
        for _ in 0..<Effort.many { _ = deferred.promise.progressUpdates.makeAsyncIterator() }
      }
    }

    @Test(
      "An endless line of derived promises that all adopt the same promise leaves little memory behind",
      .rule("4.2", "6.1"), arguments: [false, true])
    func endlessLine(isHeldWhenSettled: Bool) {
      let bound = Effort.bound(ofRounds: Effort.steps)
      let first = Promise.fulfilled(0)
      let inner = Promise.fulfilled(1)
      var last = first.then(on: context) { _ in inner }
      let growth = leastGrowth(below: bound) {
        for _ in 0..<Effort.steps {
          if isHeldWhenSettled { context.step() }
          last = last.then(on: context) { _ in inner }
          if !isHeldWhenSettled { context.step() }
        }
      }
      print("figures: \(Effort.steps) adopters, held: \(isHeldWhenSettled), \(growth) bytes more than before")
      #expect(growth < bound)
      let below = last.map(on: context) { $0 }
      first.cancel()
      #expect(below.isCancelled)
    }
  }
}
