import PromiseGates
import TestSupport
import Testing

/// A kind of gate, with its forms for async and for synchronous closures.
struct AsyncGateKind: Sendable, CustomTestStringConvertible {
  typealias Body = @Sendable () async throws -> Int

  let testDescription: String
  /// Makes a gate and returns its two forms.
  let make:
    @Sendable () -> (
      enter: @Sendable (@escaping Body) -> Promise<Int>,
      enterSync: @Sendable (any ExecutionContext, @escaping GateKind.Body) -> Promise<Int>
    )

  /// The gates that admit one guest at a time.
  static let single = [
    AsyncGateKind(testDescription: "serial") {
      let gate = SerialGate()
      return ({ gate.asyncRun($0) }, { gate.run(on: $0, $1) })
    },
    AsyncGateKind(testDescription: "limit of 1") {
      let gate = ConcurrencyLimit(1)
      return ({ gate.asyncRun($0) }, { gate.run(on: $0, $1) })
    },
    AsyncGateKind(testDescription: "writers") {
      let gate = ReadersWriterGate()
      return ({ gate.asyncWrite($0) }, { gate.write(on: $0, $1) })
    },
    AsyncGateKind(testDescription: "a reader before writers") {
      let gate = ReadersWriterGate()
      return ({ gate.asyncRead($0) }, { gate.write(on: $0, $1) })
    },
  ]
}

@Suite("Gates with async closures whose guests give up", .rule("4.6"), .leavingNothing, .bounded)
struct AsyncGateCaseTests {
  private let context = ManualContext()

  @Test(
    "A guest whose async closure ignores cancellation keeps its place until the closure has returned",
    arguments: AsyncGateKind.single, CancelForm.allCases)
  func keepsPlace(_ kind: AsyncGateKind, _ form: CancelForm) async throws {
    let (enter, enterSync) = kind.make()
    let started = Deferred<Void>()
    let released = Deferred<Void>()
    let seen = Deferred<Bool>()
    let entered = Log<Int>()
    let first = enter {
      started.fulfill()
      // Awaits the promise in another Task, so that cancelling this Task does not end the wait.
      await Task { try? await released.promise.value }.value
      seen.fulfill(Task.isCancelled)
      return 1
    }
    try await started.promise.value
    let second = enterSync(context) { entered.append(2, returning: .fulfilled(2)) }
    form.apply(to: first)
    #expect(first.isCancelled)
    // The next guest does not enter while the closure runs, even if the test waits for a while.
    for _ in 0..<100 { await Task.yield() }
    context.runUntilIdle()
    #expect(entered.entries.isEmpty)
    #expect(second.isPending)
    released.fulfill()
    #expect(try await seen.promise.value, "its Task is cancelled")
    #expect(await eventually { context.count > 0 })
    context.runUntilIdle()
    #expect(entered.entries == [2])
    #expect(second.state.value == 2)
    #expect(first.isCancelled)
  }

  @Test(
    "A guest whose async closure fails, or ends when it is cancelled, lets the next guest in",
    arguments: AsyncGateKind.single, [false, true])
  func reacts(_ kind: AsyncGateKind, fails: Bool) async throws {
    let (enter, enterSync) = kind.make()
    let started = Deferred<Void>()
    let never = Deferred<Int>()
    let first = enter {
      started.fulfill()
      if fails { throw TestError(4) }
      return try await never.promise.value
    }
    try await started.promise.value
    if fails { await #expect(throws: TestError(4)) { try await first.value } }
    let second = enterSync(context) { .fulfilled(2) }
    first.cancel()
    #expect(first.isCancelled != fails)
    #expect(never.promise.isPending)
    #expect(await eventually { context.count > 0 })
    context.runUntilIdle()
    #expect(second.state.value == 2)
  }

  @Test(
    "An async closure that waits with cancelsSource stops its work when the guest is cancelled", .rule("4.7"),
    arguments: AsyncGateKind.single, CancelForm.allCases)
  func stopsWork(_ kind: AsyncGateKind, _ form: CancelForm) async throws {
    let work = StoppableWork()
    let stopped = Deferred<Void>()
    work.deferred.onCancel(on: .atOnce) { _ in stopped.fulfill() }
    let (enter, _) = kind.make()
    let started = Deferred<Void>()
    let result = enter { [context] in
      started.fulfill()
      return try await work.promise.map(on: context) { $0 }.value(cancelsSource: true)
    }
    try await started.promise.value
    form.apply(to: result)
    #expect(result.isCancelled)
    try await stopped.promise.value
    #expect(work.isStopped)
  }

  @Test("A guest that is cancelled in the queue never enters", arguments: AsyncGateKind.single)
  func queued(_ kind: AsyncGateKind) async throws {
    let (enter, enterSync) = kind.make()
    let holder = Deferred<Int>()
    let entered = Log<Int>()
    let first = enterSync(context) { holder.promise }
    context.runUntilIdle()
    let second = enter { entered.append(2, returning: 2) }
    second.cancel()
    #expect(second.isCancelled)
    #expect(first.isPending)
    context.runUntilIdle(after: holder.fulfill(1))
    let third = enter { entered.append(3, returning: 3) }
    #expect(try await third.value == 3)
    #expect(entered.entries == [3])
    #expect(first.state.value == 1)
  }
}
