import TestSupport
import Testing

private enum Local { @TaskLocal static var number = 0 }

private actor Counter {
  private var count = 0

  /// Starts three Tasks at once. They must run on this actor, one after the other and in this order.
  func three() -> [Promise<Int>] {
    (1...3).map { number in
      Promise.task {
        self.assertIsolated()
        count = count * 10 + number
        return count
      }
    }
  }
}

@Suite("Promises made by Promise.task", .leavingNothing, .bounded) struct TaskTests {
  let census = Tracked.Census()

  @Test("Promise.task settles with the value or the error of its body, or is cancelled by a CancellationError")
  func outcomes() async throws {
    #expect(try await Promise.task { 1 }.value == 1)
    let failing = Promise<Int>.task { throw TestError(2) }
    await #expect(throws: TestError(2)) { try await failing.value }
    #expect(!failing.isCancelled)
    let cancelled = Promise<Int>.task { throw CancellationError() }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(cancelled.isCancelled)
  }

  @Test("The cancellation handler of the Task runs where hooks run", .rule("4.5"), arguments: [false, true])
  func cancellationHandler(isInBag: Bool) throws {
    try TestWorld.run { world in
      let log = Log<String>()
      let body = StubbornBody()
      let promise = Promise.task {
        await withTaskCancellationHandler {
          await body()
        } onCancel: {
          log.append("handler")
        }
      }
      world.runUntilIdle()
      if isInBag {
        // The release of a bag is no call of the program, so the handler waits for a step of the world.
        promise.bound(to: CancelBag())
        #expect(promise.isCancelled)
        #expect(log.entries.isEmpty)
        #expect(world.step())
      } else {
        promise.cancel()
        log.append("cancel has returned")
      }
      #expect(log.entries == (isInBag ? ["handler"] : ["handler", "cancel has returned"]))
      body.end()
      world.runUntilIdle()
    }
  }

  @Test("The body inherits the task-local values and the priority", .rule("8.3"))
  func inherits() async throws {
    let local = Local.$number.withValue(7) { Promise.task { Local.number } }
    #expect(try await local.value == 7)
    let low = Task(priority: .utility) { try await Promise.task { Task.basePriority }.value }
    #expect(try await low.value == .utility)
    #expect(try await Promise.task(priority: .low) { Task.basePriority }.value == .low)
  }

  @Test("A Task that awaits the promise does not raise the priority of the Task that settles it")
  func isNotRaised() async throws {
    let go = Deferred<Void>()
    let low = Promise.task(priority: .low) {
      try await go.promise.value
      return Task.currentPriority
    }
    let executor = ManualExecutor()
    let urgent = Task(executorPreference: executor, priority: .high) { try await low.value }
    // Now the urgent Task is suspended.
    executor.runUntilIdle()
    go.fulfill()
    #expect(try await low.value == .low)
    executor.runUntilIdle()
    #expect(try await urgent.value == .low)
  }

  @Test("Bodies run on the actor in whose code they are written, in the order of the calls")
  func onActor() async throws {
    let promises = await Counter().three()
    var values: [Int] = []
    for promise in promises { values.append(try await promise.value) }
    #expect(values == [1, 12, 123])
  }

  @Test("A body that is written on the main actor runs there, and not inside the call")
  @MainActor func onMainActor() async throws {
    var count = 0
    let promise = Promise.task {
      MainActor.assertIsolated()
      count += 1
      return count
    }
    #expect(count == 0)
    #expect(try await promise.value == 1)
    #expect(try await Promise.task { @concurrent in 2 }.value == 2)
  }

  /// The ways to cancel the promise of a Task.
  enum Way: CaseIterable, Sendable { case byName, byNameUpstream, fromBelow, fromFollower, byBag }

  @Test("A cancelled task promise settles at once and cancels its Task", .rule("4.4", "4.7"), arguments: Way.allCases)
  func cancel(_ way: Way) async throws {
    let body = EndlessBody()
    let promise = Promise.task { try await body() }
    try await body.started.promise.value
    let link = promise.map(on: ManualContext()) { $0 }
    let follower = Deferred<Int>()
    let bag = CancelBag()
    switch way {
    case .byName: promise.cancel(reason: TestError(1))
    case .byNameUpstream: promise.cancel(reason: TestError(1), upstream: true)
    case .fromBelow: link.cancel(reason: TestError(1), upstream: true)
    case .fromFollower:
      follower.follow(link)
      follower.promise.cancel(reason: TestError(1))
    case .byBag:
      link.bound(to: bag)
      bag.cancelAll(reason: TestError(1))
    }
    #expect(promise.isCancelled)
    #expect(try await body.ended.promise.value)
    #expect(body.isWaiting)
    await #expect(throws: TestError(1)) { try await promise.value }
  }

  @Test("A task cancelled before it starts never runs and is released before cancel returns", .rule("2.5", "4.7"))
  @MainActor func cancelBeforeStart() async throws {
    let log = Log<Int>()
    for _ in 0..<10 {
      let payload = Tracked(census)
      // The Task cannot start before this function suspends, because it needs the main actor.
      let promise = Promise.task { [payload = consume payload] in
        MainActor.assertIsolated()
        withExtendedLifetime(payload) { log.append(1) }
      }
      // If the Task started on another thread on its way to the main actor, it would start before this detached Task.
      let elsewhere = Gate()
      Task.detached { elsewhere.open() }
      elsewhere.wait("Task in another thread")
      #expect(census.living == 1)
      promise.cancel(reason: TestError(1))
      #expect(census.living == 0)
    }
    // The main actor runs this Task after the cancelled Tasks.
    _ = try await Promise.task { MainActor.assertIsolated() }.value
    #expect(log.entries == [])
  }

  @Test("A task that a hook cancels before it starts is released before cancel returns", .rule("2.5", "4.5"))
  @MainActor func cancelledByHook() async throws {
    let payload = Tracked(census)
    let promise = Promise.task { [payload = consume payload] in
      MainActor.assertIsolated()
      withExtendedLifetime(payload) {}
    }
    let deferred = Deferred<Int>()
    let living = Log<Int>()
    deferred.onCancel { [census] _ in
      promise.cancel()
      living.append(census.living)
    }
    deferred.promise.cancel()
    #expect(living.entries == [0])
  }

  @Test("The captures of the body are released before handlers of the promise run", .rule("2.4", "6.1"))
  func released() async throws {
    for fails in [false, true] {
      let open = Deferred<Void>()
      let payload = Tracked(census)
      let promise = Promise.task { [payload = consume payload] in
        try await open.promise.value
        if fails { throw TestError(1) }
        withExtendedLifetime(payload) {}
      }
      let seen = Deferred<Int>()
      let context = ManualContext()
      promise.onSettled(on: context) { _ in }
      _ = promise.attachObserver(on: nil, handling: [.value, .error]) { [census] _, _ in
        seen.fulfill(census.living)
        return .nothing
      }
      #expect(census.living == 1)
      open.fulfill()
      #expect(try await seen.promise.value == 0)
    }
  }

  /// The test runs on the main actor, as the Task does. When this function resumes, the Task has ended, and its thread
  /// retains nothing of it.
  @Test("A task that returned or was cancelled retains nothing after its end", .rule("6.3"), arguments: [false, true])
  @MainActor func ended(cancelled: Bool) async throws {
    for _ in 0..<100 {
      let open = Deferred<Void>()
      let ended = Deferred<Void>()
      let promise = Promise.task { [census] in
        defer { ended.fulfill() }
        try await open.promise.value
        return Tracked(census)
      }
      if cancelled { promise.cancel(reason: TestError(1)) }
      open.fulfill()
      _ = try? await promise.value
      _ = ended
    }
    #expect(census.living == 0)
  }
}
