import TestSupport
import Testing

/// Each test carries a task-local number into handlers. In tests that run concurrently the number is `nil`, so it is
/// not captured.
@Suite("Diagnostics: context carried into handlers", .serialized, .leavingNothing) struct CarriedContextTests {
  @TaskLocal static var number: Int?
  let context = ManualContext()
  let seen = Log<Int?>()

  struct Numbered: CarriedContext {
    let number: Int
    func run(_ handler: () -> Void) { CarriedContextTests.$number.withValue(number) { handler() } }
    nonisolated(nonsending) func run(awaiting handler: nonisolated(nonsending) () async -> Void) async {
      await CarriedContextTests.$number.withValue(number) { await handler() }
    }
  }

  /// Calls the handler never or twice.
  struct MiscountingContext: CarriedContext {
    let times: Int
    func run(_ handler: () -> Void) { for _ in 0..<times { handler() } }
    nonisolated(nonsending) func run(awaiting handler: nonisolated(nonsending) () async -> Void) async {
      for _ in 0..<times { await handler() }
    }
  }

  /// A context that does not implement the method for async handlers.
  struct Plain: CarriedContext {
    let number: Int
    func run(_ handler: () -> Void) { CarriedContextTests.$number.withValue(number) { handler() } }
  }

  private func carrying<Result>(
    _ capture: @escaping @Sendable () -> (any CarriedContext)?, _ body: () throws -> Result
  ) rethrows -> Result {
    let before = Diagnostics.carryContext(capture)
    defer { Diagnostics.carryContext(before) }
    return try body()
  }

  private static let capture: @Sendable () -> (any CarriedContext)? = { number.map { Numbered(number: $0) } }

  @Test(
    "Every handler runs in the context in which it was attached", .rule("8.3"), arguments: LinkKind.allCases,
    Settlement.allCases)
  func handlers(kind: LinkKind, settlement: Settlement) {
    carrying(Self.capture) {
      let deferred = Deferred<Int>()
      let derived = Self.$number.withValue(1) {
        kind.attach(to: deferred.promise, on: context, giving: 2) { seen.append(Self.number) }
      }
      _ = kind.attach(to: deferred.promise, on: context, giving: 2) { seen.append(Self.number) }
      Self.$number.withValue(3) { _ = deferred.settle(settlement.result) }
      context.runUntilIdle()
      // The link behaves as it does without a carried context.
      #expect(derived.status == kind.expected(after: settlement, giving: 2, throwing: nil))
    }
    #expect(seen.entries == (settlement.runsHandler(of: kind) ? [1, nil] : []))
    #expect(Self.number == nil)
  }

  @Test(
    "Closures of owners made on a context, of `run`, of hooks and of progress observers run in the carried context",
    .rule("8.3"))
  func others() {
    carrying(Self.capture) {
      let deferred = Deferred<Int>()
      Self.$number.withValue(1) {
        _ = Promise<Int>(on: context) { _ in seen.append(Self.number) }
        _ = Promise<Int>.run(on: context) {
          seen.append(Self.number)
          return 1
        }
        deferred.onCancel { _ in seen.append(Self.number) }
        deferred.promise.onProgress(on: context) { _ in seen.append(Self.number) }
      }
      deferred.report(progress: 0.5)
      context.runUntilIdle()
      deferred.promise.cancel()
    }
    #expect(seen.entries == [1, 1, 1, 1])
  }

  @Test("An async handler runs in the carried context, even after a suspension", .rule("8.3"))
  func asynchronous() async throws {
    let promise = carrying(Self.capture) {
      Self.$number.withValue(1) {
        Promise.fulfilled(0).asyncMap { _ in
          let first = Self.number
          await Task.yield()
          return [first, Self.number]
        }
      }
    }
    #expect(try await promise.value == [1, 1])
  }

  @Test("A handler attached before or after a context is carried runs without that context", arguments: [false, true])
  func off(isBefore: Bool) {
    Self.$number.withValue(1) {
      let attach = { _ = Promise.fulfilled(1).onFulfilled(on: context) { _ in seen.append(Self.number) } }
      if isBefore { attach() }
      carrying(Self.capture) {}
      if !isBefore { attach() }
    }
    context.runUntilIdle()
    #expect(seen.entries == [nil])
  }

  @Test("A handler runs once, even in a context that calls it twice or not at all", .rule("2.1"), arguments: [0, 2])
  func careless(times: Int) async throws {
    let log = Log<Int>()
    let promises = carrying {
      Self.number == 5 ? MiscountingContext(times: times) : nil
    } _: {
      Self.$number.withValue(5) { () -> [Promise<Int>] in
        let promise = Promise.fulfilled(1)
        return [
          promise.map(on: context) { log.append($0, returning: $0 + 1) },
          promise.asyncMap { log.append($0, returning: $0 + 1) },
        ]
      }
    }
    context.runUntilIdle()
    for promise in promises { #expect(try await promise.value == 2) }
    #expect(log.entries == [1, 1])
  }

  @Test("After a suspension, an async handler runs without a context that supports no async handlers", .rule("8.3"))
  func plainAsync() async throws {
    let promise = carrying {
      Self.number == 7 ? Plain(number: 8) : nil
    } _: {
      Self.$number.withValue(7) {
        Promise.fulfilled(0).asyncMap { value in
          await Task.yield()
          return (value + 1, Self.number)
        }
      }
    }
    let (value, seen) = try await promise.value
    #expect(value == 1)
    #expect(seen == nil)
  }

  @Test("A carried handler is released once it has run or cannot run", .rule("2.4", "2.5"), arguments: [false, true])
  func lifetime(isCancelled: Bool) {
    let census = Tracked.Census()
    carrying(Self.capture) {
      let deferred = Deferred<Int>()
      let derived = Self.$number.withValue(1) {
        deferred.promise.map(on: context) { [tracked = Tracked(census)] _ in withExtendedLifetime(tracked) { 1 } }
      }
      #expect(census.living == 1)
      if isCancelled { derived.cancel() } else { deferred.fulfill(1) }
      context.step()
      #expect(census.living == 0)
      withExtendedLifetime(derived) {}
    }
  }

  @Test("A progress observer and a cancelled always run in the context in which they were attached", .rule("8.3"))
  func attachedContext() {
    let seen = Log<Int?>()
    let captures = Log<Int>()
    carrying {
      // The hook also captures for tests that run concurrently.
      if Self.number == 7 { captures.append(7) }
      return Self.number.map { Numbered(number: $0) }
    } _: {
      let deferred = Deferred<Int>()
      deferred.promise.onProgress(on: context) { _ in seen.append(Self.number) }
      let always = deferred.promise.always(on: context) { _ in seen.append(Self.number) }
      Self.$number.withValue(7) {
        deferred.report(progress: 0.5)
        always.cancel()
      }
      #expect(captures.entries.isEmpty)
      context.runUntilIdle()
      #expect(seen.entries == [nil, nil])
    }
  }
}
