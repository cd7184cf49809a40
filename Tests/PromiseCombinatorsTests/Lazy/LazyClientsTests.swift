import PromiseCombinators
import TestSupport
import Testing

/// A way in which a client of a lazy promise gives up.
struct GivingUp: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Makes a client that waits, and returns the call by which it gives up.
  let client: @Sendable (LazyPromise<Int>, TestWorld) -> @Sendable () -> Void

  static let all = [
    GivingUp(testDescription: "cancel()") { lazy, _ in
      let promise = lazy.promise
      return { promise.cancel() }
    },
    GivingUp(testDescription: "cancel(upstream: true) of a link") { lazy, world in
      let link = lazy.promise.map(on: world.main) { $0 }
      return { link.cancel(upstream: true) }
    },
    GivingUp(testDescription: "cancel(upstream: true) of a combinator") { lazy, _ in
      let result = Promise.all([lazy.promise])
      return { result.cancel(upstream: true) }
    },
    GivingUp(testDescription: "an expired limit") { lazy, world in
      _ = lazy.promise.timeout(.seconds(1)).recover(on: world.main) { _ in 0 }
      return { world.advance(by: .seconds(1)) }
    },
    GivingUp(testDescription: "cancel(upstream: true) of a derived lazy promise") { lazy, world in
      let derived = lazy.map(on: world.main) { $0 }
      derived.start()
      return { derived.cancel(upstream: true) }
    },
    GivingUp(testDescription: "the only client of a derived lazy promise") { lazy, world in
      let promise = lazy.map(on: world.main) { $0 }.promise
      return { promise.cancel() }
    },
    GivingUp(testDescription: "a chain of derive") { lazy, world in
      let derived = lazy.derive { $0.map(on: world.main) { $0 } }
      let promise = derived.promise
      return { promise.cancel() }
    },
  ]
}

@Suite("Clients of a lazy promise", .leavingNothing) struct LazyClientsTests {
  private let world = TestWorld()
  private let works = (0..<3).map { _ in StoppableWork() }
  private let starts = Log<Int>()

  /// Makes a lazy promise. Each start is the next work.
  private func lazy() -> LazyPromise<Int> {
    world.run { [starts, works, main = world.main] in
      LazyPromise.adopting(on: main) {
        let number = starts.entries.count
        return starts.append(number, returning: works[number].promise)
      }
    }
  }

  private func expectUnstarted(_ lazy: LazyPromise<Int>, _ location: SourceLocation = #_sourceLocation) {
    #expect(!lazy.isStarted, sourceLocation: location)
    #expect(lazy.isPending, sourceLocation: location)
    #expect(!lazy.isCancelled, sourceLocation: location)
    #expect(lazy.result == nil, sourceLocation: location)
    #expect(lazy.progress == 0, sourceLocation: location)
    #expect(lazy.debugDescription.contains("not started"), sourceLocation: location)
  }

  @Test(
    "The last client that gives up stops the work of a lazy promise, and the next client starts it anew",
    .rule("4.6", "4.10"), arguments: GivingUp.all)
  func lastClient(_ way: GivingUp) {
    let lazy = lazy()
    let (first, second) = world.run { (way.client(lazy, world), way.client(lazy, world)) }
    world.runUntilIdle()
    works[0].deferred.report(progress: 0.5)
    #expect(lazy.progress == 0.5)
    // A limit expires for both clients at the same time.
    let haveOneLimit = way.testDescription == "an expired limit"
    world.run(first)
    #expect(works[0].goesOn != haveOneLimit)
    world.run(second)
    #expect(works[0].isStopped)
    expectUnstarted(lazy)
    let next = world.start { lazy.promise }
    #expect(starts.entries == [0, 1])
    #expect(lazy.isStarted)
    works[1].deferred.fulfill(7)
    #expect(next.state.value == 7)
    #expect(lazy.promise.state.value == 7)
    #expect(lazy.progress == 1)
  }

  @Test("A cancelled Task that waits with cancelsSource counts as a client that gives up", .rule("4.7", "4.10"))
  func tasks() async throws {
    let lazy = self.lazy()
    let executor = ManualExecutor()
    let ended = Log<Int>()
    let tasks = (0..<2).map { number in
      Task(executorPreference: executor) {
        defer { ended.append(number) }
        return try await lazy.value(cancelsSource: true)
      }
    }
    executor.runUntilIdle()
    world.runUntilIdle()
    tasks[0].cancel()
    executor.runUntilIdle()
    #expect(works[0].goesOn)
    tasks[1].cancel()
    // The pool resumes the Task.
    #expect(
      await eventually {
        executor.runUntilIdle()
        return ended.entries == [0, 1]
      })
    for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    #expect(works[0].isStopped)
    expectUnstarted(lazy)
    let next = Task(executorPreference: executor) { try await lazy.value }
    executor.runUntilIdle()
    world.runUntilIdle()
    works[1].deferred.fulfill(7)
    executor.runUntilIdle()
    #expect(try await next.value == 7)
  }

  @Test("A client that cancels its promise affects neither the promises of others nor what they made from them")
  func separateClients() {
    let lazy = lazy()
    let (first, second) = world.start { (lazy.promise, lazy.promise) }
    let inner = Deferred<Int>()
    let link = world.run { second.then(on: world.main) { _ in inner.promise } }
    first.cancel(reason: TestError(1))
    #expect(first.failure == .test(1))
    #expect(second.parent == nil)
    #expect(link.isPending)
    world.runUntilIdle(after: works[0].deferred.fulfill(7))
    let third = lazy.promise
    third.cancel()
    #expect(link.isPending, "of a settled promise, too")
    inner.fulfill(8)
    #expect(link.state.value == 8)
    #expect(third.state.value == 7)
  }

  @Test(
    "The observers onFulfilled and onSettled keep the work of a lazy promise going, and the others do not",
    .rule("4.0", "4.6"))
  func observers() {
    let consumers: [@Sendable (LazyPromise<Int>) -> Void] = [
      { $0.onFulfilled { _ in } }, { $0.onSettled { _ in } },
    ]
    let others: [@Sendable (LazyPromise<Int>) -> Void] = [
      { $0.onRejected { _ in } }, { $0.onFailed { _ in } }, { $0.onProgress { _ in } },
    ]
    for (observers, goesOn) in [(consumers, true), (others, false)] {
      for observe in observers {
        let work = StoppableWork()
        let lazy = world.run { LazyPromise.adopting(on: world.main) { work.promise } }
        let client = world.start {
          observe(lazy)
          return lazy.promise
        }
        client.cancel()
        #expect(work.goesOn == goesOn)
        #expect(lazy.isStarted == goesOn)
        world.runUntilIdle(after: work.deferred.fulfill(1))
      }
    }
  }

  @Test("An observer of a lazy promise whose work was given up starts it anew and sees only the new work")
  func observerStartsAnew() {
    let lazy = self.lazy()
    let log = Log<String>()
    world.start { lazy.promise }.cancel()
    world.start {
      lazy.onRejected(on: world.main) { _ in log.append("rejected") }
      lazy.onProgress(on: world.main) { log.append("progress \($0)") }
      lazy.onFulfilled(on: world.main) { log.append("value \($0)") }
    }
    #expect(starts.entries == [0, 1])
    world.runUntilIdle(after: works[1].deferred.fulfill(7))
    #expect(log.entries == ["progress 1.0", "value 7"])
  }

  @Test("A promise of a lazy promise, and a link of it, show the progress of the work", .rule("4.10", "5.4"))
  func progress() async {
    let lazy = self.lazy()
    let log = Log<Double>()
    let promise = world.start { lazy.promise }
    promise.onProgress(on: world.main) { log.append($0) }
    var updates = promise.progressUpdates.makeAsyncIterator()
    let derived = world.start { lazy.derive { $0.timeout(.seconds(1)) }.promise }
    world.runUntilIdle(after: works[0].deferred.report(progress: 0.5))
    #expect(lazy.progress == 0.5)
    #expect(promise.progress == 0.5)
    #expect(derived.progress == 0.5)
    #expect(log.entries == [0.5])
    works[0].deferred.reject(TestError(1))
    #expect(promise.progress == 0.5)
    #expect(promise.isRejected)
    #expect(await updates.next() == 0.5)
    #expect(derived.isRejected)
  }

  @Test("A call of start() is no client, so the first client that gives up stops the work", .rule("4.6"))
  func startIsNoClient() {
    let lazy = lazy()
    #expect(lazy.start())
    world.runUntilIdle()
    #expect(works[0].goesOn)
    world.run { lazy.promise }.cancel(reason: TestError(3))
    #expect(works[0].reasonNumbers == [3])
    expectUnstarted(lazy)
    #expect(lazy.start())
    #expect(!lazy.start())
    world.runUntilIdle()
    #expect(starts.entries == [0, 1])
    works[1].deferred.fulfill(7)
    #expect(lazy.promise.state.value == 7)
  }

  @Test(
    "A lazy promise given up before its context has run the closure does not run it, and runs it for the next client",
    .rule("2.5", "4.6"), arguments: LazyWay.all)
  func queued(_ way: LazyWay) {
    let context = ManualContext()
    let log = Log<Int>()
    let census = Tracked.Census()
    let lazy = way.make(context) { [tracked = Tracked(census)] in
      withExtendedLifetime(tracked) { log.append(1, returning: 7) }
    }
    lazy.promise.cancel()
    #expect(!lazy.isStarted)
    context.runUntilIdle()
    #expect(log.entries.isEmpty)
    #expect(census.living == 1)
    let next = lazy.promise
    context.runUntilIdle()
    #expect(log.entries == [1])
    #expect(next.state.value == 7)
    #expect(census.living == 0, "the closure of a settled lazy promise is released while that is held")
  }

  @Test("A plain cancel of a link leaves the work of a lazy promise, and the last client that gives up stops it")
  func leaving() {
    let lazy = lazy()
    let derived = lazy.map(on: world.main) { $0 }
    derived.start()
    world.runUntilIdle()
    derived.cancel()
    #expect(works[0].goesOn)
    #expect(lazy.isStarted)
    world.run { lazy.promise }.cancel()
    #expect(works[0].isStopped)
    expectUnstarted(lazy)
  }

  @Test(
    "A derived lazy promise that is given up starts anew together with its source", .rule("4.4", "4.6"),
    arguments: [false, true])
  func derived(_ isSourceWanted: Bool) {
    let lazy = self.lazy()
    let main = world.main
    let derived = lazy.map(on: main) { $0 + 1 }.then(on: main) { .fulfilled($0 + 1) }.derive { $0.asVoid() }
    let wanted = isSourceWanted ? world.start { lazy.promise } : nil
    world.start { derived.promise }.cancel()
    #expect(!derived.isStarted)
    #expect(lazy.isStarted == isSourceWanted)
    #expect(works[0].goesOn == isSourceWanted)
    let next = world.start { derived.promise }
    #expect(starts.entries == (isSourceWanted ? [0] : [0, 1]))
    world.runUntilIdle(after: works[isSourceWanted ? 0 : 1].deferred.fulfill(5))
    #expect(next.isFulfilled)
    #expect(wanted.map { $0.state.value == 5 } ?? true)
  }

  @Test("The limit of a derived lazy promise is part of its work, and its outcome stays", .rule("4.6"))
  func limitOfWork() {
    let lazy = lazy()
    let limited = world.run { lazy.derive { $0.timeout(.seconds(5)) } }
    let first = world.start { limited.promise }
    world.advance(by: .seconds(5))
    #expect(first.failure?.code == .timedOut)
    #expect(world.run { limited.promise }.failure?.code == .timedOut)
    #expect(limited.isStarted)
    #expect(works[0].isStopped)
    expectUnstarted(lazy)
  }

  @Test(
    "A lazy promise that is cancelled by name is cancelled for all its clients, present and future", .rule("4.6"),
    arguments: CancelForm.allCases, [false, true])
  func byName(_ form: CancelForm, _ wasGivenUp: Bool) {
    let lazy = lazy()
    let clients = world.start { [lazy.promise, lazy.promise] }
    if wasGivenUp { for client in clients { client.cancel(reason: TestError(1)) } }
    lazy.cancel(reason: TestError(2), upstream: form == .up)
    #expect(clients.allSatisfy { $0.failure == .test(wasGivenUp ? 1 : 2) })
    #expect(works[0].reasonNumbers == [wasGivenUp ? 1 : 2])
    #expect(lazy.isCancelled)
    #expect(lazy.isStarted)
    #expect(!lazy.start())
    let later = world.start { lazy.promise }
    #expect(later.failure == .test(2))
    #expect(later.isCancelled)
    #expect(starts.entries == [0])
  }

  @Test("Work that is cancelled by its own side is an outcome, which stays")
  func cancelledWork() {
    let lazy = lazy()
    let client = world.start { lazy.promise }
    works[0].promise.cancel(reason: TestError(4))
    #expect(client.failure == .test(4))
    #expect(lazy.isCancelled)
    #expect(world.start { lazy.promise }.failure == .test(4))
    #expect(starts.entries == [0])
  }

  @Test("A client that gives up during the start gives up the work, and the next client starts it anew", .rule("4.6"))
  func duringStart() {
    let itself = Log<LazyPromise<Int>>()
    let works = self.works
    let starts = self.starts
    let lazy = world.run {
      LazyPromise<Int>.run(on: world.main) { 1 }.derive { _ in
        let number = starts.entries.count
        // Another thread could make this call at this moment.
        if number == 0 { itself.entries[0].promise.cancel() }
        return starts.append(number, returning: works[number].promise)
      }
    }
    itself.append(lazy)
    world.start { _ = lazy.start() }
    #expect(works[0].isStopped)
    #expect(!lazy.isStarted)
    let next = world.start { lazy.promise }
    works[1].deferred.fulfill(7)
    #expect(next.state.value == 7)
  }

  @Test("The closure of a lazy promise that keeps itself alive is released when the work is settled", .rule("6.3"))
  func cycle() {
    let census = Tracked.Census()
    do {
      let itself = Locked<LazyPromise<Int>?>(nil)
      let lazy = world.run {
        LazyPromise.adopting(on: world.main) { [works, tracked = Tracked(census)] in
          withExtendedLifetime((itself, tracked)) { works[0].promise }
        }
      }
      itself.withLock { $0 = lazy }
      world.start { _ = lazy.start() }
      works[0].deferred.fulfill(1)
    }
    #expect(census.living == 0)
  }

  @Test("A long lazy chain that has started is released and given up in a loop", .rule("6.4"))
  func long() {
    let context = ManualContext()
    let work = StoppableWork()
    do {
      var last = LazyPromise.adopting(on: context) { work.promise }
      for _ in 0..<100_000 { last = last.map(on: context) { $0 + 1 } }
      let client = last.promise
      context.runUntilIdle()
      client.cancel()
      #expect(!last.isStarted)
      #expect(work.isStopped)
    }
    context.runUntilIdle()
  }

  @Test(
    "In any order of clients and their ends, a client that does not give up gets the value of a lazy promise",
    .rule("4.6", "4.10"))
  func everyOrder() throws {
    let exploration = try TestWorld.exploreAll(atMost: 20_000) { world in
      let starts = Locked(0)
      let log = Log<StoppableWork>()
      let lazy = LazyPromise.adopting(on: world.main) {
        _ = starts.increment()
        let work = StoppableWork()
        log.append(work)
        world.sometime("work ends") { if work.promise.isPending { work.deferred.fulfill(7) } }
        return work.promise
      }
      let patient = Log<Promise<Int>>()
      world.sometime("patient client") { patient.append(lazy.promise) }
      world.sometime("client") {
        let promise = lazy.promise
        world.sometime("client gives up") { promise.cancel() }
      }
      world.runUntilIdle()
      world.expect(patient.entries.map(\.state.value) == [7])
      world.expect(lazy.promise.state.value == 7)
      let stopped = log.entries.filter(\.promise.isCancelled).count
      world.expect(log.entries.count == stopped + 1)
      world.expect(stopped <= 1)
    }
    #expect(exploration.isComplete)
    #expect(exploration.scheduleCount > 10)
  }
}
