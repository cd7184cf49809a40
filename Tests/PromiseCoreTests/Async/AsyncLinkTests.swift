import TestSupport
import Testing

private enum Local { @TaskLocal static var number = 0 }

@Suite("Links with an async closure", .leavingNothing, .bounded) struct AsyncLinkTests {
  let census = Tracked.Census()

  @Test("asyncMap settles its promise with the result of its closure, and passes errors on", .rule("2.3"))
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
    #expect(cancelled.isCancelled)
    #expect(!thrown.isCancelled)
    // The settling call passes an error on without a Task.
    let failing = Deferred<Int>()
    let passed = failing.promise.asyncMap { $0 }
    failing.reject(TestError(3))
    #expect(passed.failure == .test(3))
  }

  @Test("asyncTap shows the value to its closure and passes it on, or rejects with the closure's error", .rule("2.3"))
  func tap() async throws {
    let log = Log<Int>()
    let promise = Promise.fulfilled(1)
    #expect(try await promise.asyncTap { log.append($0) }.value == 1)
    #expect(log.entries == [1])
    await #expect(throws: TestError(2)) { try await promise.asyncTap { _ in throw TestError(2) }.value }
  }

  @Test("asyncRecover turns an error into the result of its closure, and passes values on", .rule("2.3"))
  func recover() async throws {
    let failed = Promise<Int>.rejected(TestError(5))
    #expect(try await failed.asyncRecover { ($0 as? TestError)?.number ?? 0 }.value == 5)
    await #expect(throws: TestError(6)) { try await failed.asyncRecover { _ in throw TestError(6) }.value }
    #expect(Promise.fulfilled(1).asyncRecover { _ in 2 }.status == .fulfilled(1))
    #expect(try await failed.asyncRecover(from: TestError.self) { $0.number + 1 }.value == 6)
    await #expect(throws: TestError(5)) { try await failed.asyncRecover(from: PromiseError.self) { _ in 1 }.value }
  }

  @Test("The closure has the requested priority and no task-locals of the settling or attaching thread", .rule("8.3"))
  func inheritsNothing() async throws {
    let deferred = Deferred<Void>()
    let (plain, low) = Local.$number.withValue(7) {
      (deferred.promise.asyncMap { Local.number }, deferred.promise.asyncMap(priority: .low) { Task.currentPriority })
    }
    Local.$number.withValue(8) { _ = deferred.fulfill() }
    #expect(try await plain.value == 0)
    #expect(try await low.value == .low)
  }

  /// All links that run an async closure.
  enum Form: CaseIterable, Sendable {
    case map, tap, recover, typedRecover

    var source: Promise<Int> { handlesErrors ? .rejected(TestError(3)) : .fulfilled(1) }
    var handlesErrors: Bool { self == .recover || self == .typedRecover }

    func attach(to promise: Promise<Int>, _ body: @escaping @Sendable () async throws -> Int) -> Promise<Int> {
      switch self {
      case .map: promise.asyncMap { _ in try await body() }
      case .tap: promise.asyncTap { _ in _ = try await body() }
      case .recover: promise.asyncRecover { _ in try await body() }
      case .typedRecover: promise.asyncRecover(from: TestError.self) { _ in try await body() }
      }
    }
  }

  @Test("A link cancelled early releases its closure at once and never runs it", .rule("2.5"), arguments: Form.allCases)
  func cancelPending(_ form: Form) {
    let log = Log<Int>()
    let deferred = Deferred<Int>()
    let payload = Tracked(census)
    let derived = form.attach(to: deferred.promise) { [payload = consume payload] in
      withExtendedLifetime(payload) { log.append(1, returning: 1) }
    }
    #expect(census.living == 1)
    derived.cancel(reason: TestError(1))
    #expect(census.living == 0)
    #expect(deferred.promise.isPending)
    #expect(derived.isCancelled)
    deferred.follow(form.source)
    #expect(derived.failure == .test(1))
    #expect(log.entries == [])
  }

  @Test("Cancelling a running link cancels its Task and ends it at once", .rule("4.4", "4.7"), arguments: Form.allCases)
  func cancelRunning(_ form: Form) async throws {
    let body = EndlessBody()
    let derived = form.attach(to: form.source) { try await body() }
    try await body.started.promise.value
    derived.cancel(reason: TestError(2))
    #expect(derived.failure == .test(2))
    #expect(derived.isCancelled)
    #expect(try await body.ended.promise.value)
  }

  @Test("Cancelling a settled promise finds and cancels a link below it whose closure is running", .rule("4.2"))
  func cancelFromAbove() async throws {
    let body = EndlessBody()
    let source = Promise.fulfilled(1)
    let derived = source.asyncMap { _ in try await body() }
    let below = derived.asVoid()
    try await body.started.promise.value
    #expect(derived.parent === source)
    source.cancel(reason: TestError(2))
    #expect(derived.failure == .test(2))
    #expect(below.failure == .test(2))
    #expect(try await body.ended.promise.value)
  }

  @Test("The captures of the closure are released before handlers of the derived promise run", .rule("2.4"))
  func released() async throws {
    for fails in [false, true] {
      let deferred = Deferred<Int>()
      let payload = Tracked(census)
      let derived = deferred.promise.asyncMap { [payload = consume payload] _ in
        await Task.yield()
        if fails { throw TestError(1) }
        withExtendedLifetime(payload) {}
      }
      let seen = Deferred<Int>()
      _ = derived.attachObserver(on: nil, handling: [.value, .error]) { [census] _, _ in
        seen.fulfill(census.living)
        return .nothing
      }
      #expect(census.living == 1)
      deferred.fulfill(1)
      #expect(try await seen.promise.value == 0)
    }
  }
}
