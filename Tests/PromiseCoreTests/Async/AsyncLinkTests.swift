import PromiseCore
import TestSupport
import Testing

private enum Local {
  @TaskLocal static var number = 0
}

@Suite("Links with an async closure", .leavingNothing)
struct AsyncLinkTests {
  let census = Tracked.Census()

  @Test("rule 2.3: asyncMap makes of the value what its closure returns or throws; errors pass")
  func map() async throws {
    let deferred = Deferred<Int>()
    let text = deferred.promise.asyncMap { "\($0 + 1)" }
    let thrown = deferred.promise.asyncMap { throw TestError($0) }
    let cancelled = deferred.promise.asyncMap { _ in throw CancellationError() }
    #expect(text.isPending)
    deferred.fulfill(41)
    #expect(try await text.value == "42")
    await #expect(throws: TestError(41)) { try await thrown.value }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(cancelled.isCancelled && !thrown.isCancelled)
    // An error passes in the settling call.
    let failing = Deferred<Int>()
    let passed = failing.promise.asyncMap { $0 }
    failing.reject(TestError(3))
    #expect(passed.failure == .test(3))
  }

  @Test("rule 2.3: asyncTap shows the value and passes it on, or rejects with what its closure throws")
  func tap() async throws {
    let log = Log<Int>()
    let promise = Promise.fulfilled(1)
    #expect(try await promise.asyncTap { log.append($0) }.value == 1)
    #expect(log.entries == [1])
    await #expect(throws: TestError(2)) { try await promise.asyncTap { _ in throw TestError(2) }.value }
  }

  @Test("rule 2.3: asyncRecover makes a value of the error; values pass")
  func recover() async throws {
    let failed = Promise<Int>.rejected(TestError(5))
    #expect(try await failed.asyncRecover { ($0 as? TestError)?.number ?? 0 }.value == 5)
    await #expect(throws: TestError(6)) { try await failed.asyncRecover { _ in throw TestError(6) }.value }
    #expect(Promise.fulfilled(1).asyncRecover { _ in 2 }.seen == .fulfilled(1))
  }

  @Test("rule 8.3: nothing of the thread that settles, or attaches, reaches the closure but the priority it asks for")
  func inheritsNothing() async throws {
    let deferred = Deferred<Void>()
    let (plain, low) = Local.$number.withValue(7) {
      (
        deferred.promise.asyncMap { Local.number },
        deferred.promise.asyncMap(priority: .low) { Task.currentPriority }
      )
    }
    Local.$number.withValue(8) { _ = deferred.fulfill() }
    #expect(try await plain.value == 0)
    #expect(try await low.value == .low)
  }

  @Test("rule 2.5: a link that is cancelled before its promise is settled never runs, and is released at once")
  func cancelPending() {
    let log = Log<Int>()
    let deferred = Deferred<Int>()
    let payload = Tracked(census)
    let derived = deferred.promise.asyncMap { [payload = consume payload] value in
      withExtendedLifetime(payload) { log.append(value) }
    }
    #expect(census.living == 1)
    derived.cancel(reason: TestError(1))
    #expect(census.living == 0)
    #expect(deferred.promise.isPending && derived.isCancelled)
    deferred.fulfill(1)
    #expect(log.entries == [])
  }

  @Test(
    "rules 4.4 4.7: cancelling a link whose closure runs cancels its Task and settles it at once", arguments: [0, 1, 2])
  func cancelRunning(kind: Int) async throws {
    let (started, seen, never) = (Deferred<Void>(), Deferred<Bool>(), Deferred<Int>())
    let body: @Sendable () async throws -> Int = {
      started.fulfill()
      do {
        return try await never.promise.value
      } catch {
        seen.fulfill(Task.isCancelled)
        throw error
      }
    }
    let source = Promise.fulfilled(1)
    let derived =
      switch kind {
      case 0: source.asyncMap { _ in try await body() }
      case 1: source.asyncTap { _ in _ = try await body() }
      default: Promise<Int>.rejected(TestError(1)).asyncRecover { _ in try await body() }
      }
    try await started.promise.value
    derived.cancel(reason: TestError(2))
    #expect(derived.failure == .test(2) && derived.isCancelled)
    #expect(try await seen.promise.value)
  }

  @Test("rule 4.2: a link whose closure runs is found, and cancelled, from the settled promise above it")
  func cancelFromAbove() async throws {
    let (started, ended, never) = (Deferred<Void>(), Deferred<Void>(), Deferred<Int>())
    let source = Promise.fulfilled(1)
    let derived = source.asyncMap { _ in
      started.fulfill()
      defer { ended.fulfill() }
      return try await never.promise.value
    }
    let below = derived.asVoid()
    try await started.promise.value
    #expect(derived.parent === source)
    source.cancel(reason: TestError(2))
    #expect(derived.failure == .test(2) && below.failure == .test(2))
    try await ended.promise.value
  }

  @Test(
    "The closure of asyncRecover never runs once its promise was cancelled, and is gone when cancel returns",
    .rule("2.5"))
  func recoverCancelled() {
    let log = Log<Int>()
    let deferred = Deferred<Int>()
    let payload = Tracked(census)
    let derived = deferred.promise.asyncRecover { [payload = consume payload] _ in
      withExtendedLifetime(payload) {}
      log.append(1)
      return 1
    }
    #expect(census.living == 1)
    derived.cancel(reason: TestError(2))
    #expect(census.living == 0)
    deferred.reject(TestError(3))
    #expect(derived.failure == .test(2) && log.entries.isEmpty)
  }

  @Test("rule 2.4: what the closure captured is gone before handlers of the derived promise run")
  func released() async throws {
    let census = census
    for fails in [false, true] {
      let deferred = Deferred<Int>()
      let payload = Tracked(census)
      let derived = deferred.promise.asyncMap { [payload = consume payload] _ in
        await Task.yield()
        if fails { throw TestError(1) }
        withExtendedLifetime(payload) {}
      }
      let seen = Deferred<Int>()
      _ = derived.attachObserver(on: nil, handling: [.value, .error]) { _, _ in
        seen.fulfill(census.living)
        return .nothing
      }
      #expect(census.living == 1)
      deferred.fulfill(1)
      #expect(try await seen.promise.value == 0)
    }
  }

  @Test("rule 6.1: a chain of async links lives until it has run, though nobody holds it")
  func notHeld() async throws {
    let (deferred, done) = (Deferred<Int>(), Deferred<Int>())
    deferred.promise.asyncMap { $0 + 1 }.asyncTap { done.fulfill($0) }
    deferred.fulfill(1)
    #expect(try await done.promise.value == 2)
  }
}
