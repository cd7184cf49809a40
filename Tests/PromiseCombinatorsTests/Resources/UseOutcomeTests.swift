import PromiseCombinators
import TestSupport
import Testing

@Suite("The outcome that the release of a resource gets", .leavingNothing, .rule("2.10")) struct UseOutcomeTests {
  private let world = TestWorld()
  private let room = Room()
  private let outcomes = Log<String>()

  /// Enters the room in the world.
  private func start(_ body: (@Sendable (Int) throws -> Promise<Int>)? = nil) -> Promise<Int> {
    world.run { use(body) }
  }

  /// Enters the room. The closure is that of the room unless another one is given.
  private func use(
    on context: any ExecutionContext = .pool, _ body: (@Sendable (Int) throws -> Promise<Int>)? = nil
  ) -> Promise<Int> {
    Promise.using(
      room.enter,
      release: { [room, outcomes] number, outcome in
        outcomes.append(outcome.words)
        return room.leave(number)
      }, on: context, body ?? room.use)
  }

  /// Enters the room on a context that drops the job of the closure.
  private func dropUse() -> Promise<Int> {
    let context = ManualContext()
    let result = use(on: context)
    context.runUntilIdle()
    room.entering.fulfill(7)
    context.dropAll()
    context.runUntilIdle()
    return result
  }

  /// Ends the acquisition.
  private func enter() {
    world.runUntilIdle()
    world.runUntilIdle(after: room.entering.fulfill(7))
  }

  private func cancel(_ promise: Promise<Int>, _ form: CancelForm) {
    world.runUntilIdle(after: promise.cancel(reason: TestError(9), upstream: form == .up))
  }

  @Test("The outcome is that of the closure's promise")
  func settled() {
    let results = [start(), start()]
    enter()
    world.runUntilIdle(after: room.work.fulfill(8))
    #expect(outcomes.entries == ["value 8", "value 8"])
    room.leaving.fulfill()
    #expect(results.map(\.state.value) == [8, 8])
  }

  @Test("The outcome is the error of the closure or of its promise", arguments: [false, true])
  func failed(throws isThrown: Bool) {
    let result = start { [room] number in
      if isThrown { throw TestError(1) }
      return room.use(number)
    }
    enter()
    if !isThrown { world.runUntilIdle(after: room.work.reject(TestError(1))) }
    #expect(outcomes.entries == ["error 1"])
    room.end()
    #expect(result.failure == .test(1))
  }

  @Test("A look at the outcome does not handle an error", .rule("7.1"), arguments: [false, true])
  func unhandled(isHandled: Bool) {
    let reports = reported {
      let context = ManualContext()
      let result = use(on: context) { _ in throw TestError(1) }
      context.runUntilIdle()
      context.runUntilIdle(after: room.entering.fulfill(7))
      #expect(outcomes.entries == ["error 1"])
      room.leaving.fulfill()
      if isHandled { #expect(result.failure == .test(1)) }
    }
    #expect(reports.filter { $0 > 0 } == (isHandled ? [] : [1]))
    room.end()
  }

  @Test("A release after a dropped job does not handle that error", .rule("7.1"), arguments: [false, true])
  func unhandledDrop(isHandled: Bool) {
    let reports = reported {
      let result = dropUse()
      #expect(outcomes.entries == ["PromiseError.contextDropped"])
      room.leaving.fulfill()
      if isHandled { #expect(result.failure?.code == .contextDropped) }
    }
    #expect(reports == (isHandled ? [] : [-1]))
    room.end()
  }

  @Test("If the use is given up, the outcome is the reason", arguments: CancelForm.allCases)
  func cancelledUse(_ form: CancelForm) {
    let result = start()
    enter()
    cancel(result, form)
    #expect(result.isCancelled)
    #expect(outcomes.entries == ["error 9"])
    #expect(room.log.entries == ["enter", "use 7", "stopped", "leave 7"])
    room.end()
  }

  @Test("If the use was not called, the outcome is the reason of the cancellation", arguments: CancelForm.allCases)
  func cancelledAcquisition(_ form: CancelForm) {
    let result = start()
    world.runUntilIdle()
    cancel(result, form)
    #expect(outcomes.entries.isEmpty)
    enter()
    #expect(outcomes.entries == ["error 9"])
    #expect(room.log.entries == ["enter", "leave 7"])
    room.end()
  }

  /// The moment at which a use is given up.
  enum Moment: CaseIterable, Sendable { case acquisition, use }

  @Test("The outcome is the error of a limit that gives the use up", .rule("4.6"), arguments: Moment.allCases)
  func limit(_ moment: Moment) {
    let result = world.run { use().timeout(.seconds(1)) }
    if moment == .use { enter() }
    world.advance(by: .seconds(1))
    if moment == .acquisition { enter() }
    #expect(result.failure?.code == .timedOut)
    #expect(outcomes.entries == ["PromiseError.timedOut"])
    room.end()
  }

  @Test("The outcome is the error of a sibling that failed", .rule("4.8"), arguments: Moment.allCases)
  func failedSibling(_ moment: Moment) {
    let sibling = Deferred<Int>()
    let result: Promise<[Int]> = world.run { .all([use(), sibling.promise], onRejection: .cancelRemaining) }
    world.runUntilIdle()
    if moment == .use { enter() }
    world.runUntilIdle(after: sibling.reject(TestError(1)))
    if moment == .acquisition { enter() }
    #expect(result.failure == .test(1))
    #expect(outcomes.entries == ["cancelled"])
    room.end()
  }

  @Test("If the context drops the job of the closure, the outcome is that error", .rule("6.2"))
  func droppedJob() {
    let result = dropUse()
    #expect(result.failure?.code == .contextDropped)
    #expect(outcomes.entries == ["PromiseError.contextDropped"])
    room.end()
  }

  @Test("If another consumer keeps the work of a cancelled use going, the outcome is that of the work", .rule("4.4"))
  func sharedUse() {
    let kept = room.work.promise.map(on: world.main) { $0 }
    let result = start()
    enter()
    cancel(result, .up)
    #expect(outcomes.entries.isEmpty)
    world.runUntilIdle(after: room.work.fulfill(8))
    #expect(result.isCancelled)
    #expect(kept.state.value == 8)
    #expect(outcomes.entries == ["value 8"])
    room.end()
  }

  @Test(
    "The outcome is that of a promise which the closure returns after the cancellation", .rule("4.4"),
    arguments: [false, true])
  func lateReturn(isSettled: Bool) {
    let results = Log<Promise<Int>>()
    let result = start { [room] number in
      results.entries.first?.cancel(reason: TestError(9))
      return isSettled ? .fulfilled(8) : room.use(number)
    }
    results.append(result)
    enter()
    #expect(result.isCancelled)
    #expect(outcomes.entries == [isSettled ? "value 8" : "error 9"])
    room.end()
  }

  @Test("A value that is cancelled before its promise has finished stays the outcome", .rule("2.11"))
  func unfinishedUse() {
    let body = StubbornBody()
    let result = start { _ in Promise.task { await body() }.timeout(.seconds(1)).recover { _ in 5 } }
    enter()
    world.advance(by: .seconds(1))
    cancel(result, .up)
    #expect(outcomes.entries.isEmpty)
    world.runUntilIdle(after: body.end())
    #expect(outcomes.entries == ["value 5"])
    room.end()
  }

  @Test("A use that has not finished does not retain the value of its promise", .rule("2.11"))
  func released() {
    let mayEnd = Deferred<Void>()
    let values = Tracked.Census()
    let room = room
    let result = world.run {
      Promise<Tracked>.using(room.enter, release: room.leave) { _ in
        let work = Deferred<Tracked>()
        work.onEndThen { _ in mayEnd.promise }
        work.fulfill(Tracked(values))
        return work.promise
      }
    }
    enter()
    #expect(values.living == 1)
    world.runUntilIdle(after: result.cancel())
    #expect(values.living == 0)
    #expect(room.log.entries == ["enter"])
    world.runUntilIdle(after: mayEnd.fulfill())
    #expect(room.log.entries == ["enter", "leave 7"])
    room.end()
  }

  @Test("A use whose work is lost before it has finished ends, and the resource is released", .rule("6.2"))
  func lostWork() {
    let hooks = ManualContext()
    // In the world, so that a hook which the context drops runs there.
    let work = world.run { Deferred<Int>() }
    work.onCancel(on: hooks) { _ in }
    let result = start { _ in work.promise }
    enter()
    cancel(result, .up)
    #expect(outcomes.entries.isEmpty)
    hooks.dropAll()
    world.runUntilIdle()
    #expect(outcomes.entries == ["error 9"])
    room.end()
  }

  @Test("A use that begins before the operator has returned ends with its work", arguments: CancelForm.allCases)
  func immediate(_ form: CancelForm) {
    let kept = room.work.promise.map(on: world.main) { $0 }
    let result = Promise.using(
      { .fulfilled(7) },
      release: { [room, outcomes] number, outcome in
        outcomes.append(outcome.words)
        return room.leave(number)
      }, on: .atOnce, room.use)
    cancel(result, form)
    #expect(outcomes.entries.isEmpty)
    world.runUntilIdle(after: room.work.fulfill(8))
    #expect(outcomes.entries == ["value 8"])
    #expect(kept.state.value == 8)
    room.end()
  }

  @Test("On the main actor, the release gets the outcome")
  func onMain() {
    let state = MainActorState()
    let result = world.start {
      Promise<Int>.using(
        { state.note("acquire", returning: Promise.fulfilled(7)) },
        release: { number, outcome in
          state.note("release \(number): \(outcome.words)", returning: Promise.fulfilled(()))
        }, on: .main,
        { number in state.note("use \(number)", returning: .fulfilled(number + 1)) })
    }
    #expect(result.state.value == 8)
    #expect(state.notes(in: world) == ["acquire", "use 7", "release 7: value 8"])
  }
}

@Suite("The outcome that an async release gets", .leavingNothing, .rule("2.10")) struct AsyncUseOutcomeTests {
  private let world = TestWorld()
  private let room = Room()
  private let outcomes = Log<String>()

  private func start(_ body: @escaping @Sendable (Int) async throws -> Int) -> Promise<Int> {
    world.start {
      Promise.asyncUsing(
        { [room] in try await room.enter().value },
        release: { [room, outcomes] number, outcome in
          outcomes.append(outcome.words)
          try await room.leave(number).value
        }, body)
    }
  }

  @Test("The outcome is the value or the error of the closure", arguments: [nil, 1])
  func settled(_ error: Int?) {
    let result = start { number in
      if let error { throw TestError(error) }
      return number + 1
    }
    world.runUntilIdle(after: room.entering.fulfill(7))
    #expect(outcomes.entries == [error == nil ? "value 8" : "error 1"])
    world.runUntilIdle(after: room.end())
    #expect(result.state.value == (error == nil ? 8 : nil))
    #expect(result.failure == error.map(Failure.test))
  }

  @Test(
    "If the use is given up, the outcome is what the closure returns or throws", arguments: CancelForm.allCases,
    [false, true])
  func cancelledUse(_ form: CancelForm, isStubborn: Bool) {
    let body = StubbornBody()
    let result = start { [room] number in
      if isStubborn { return await body() }
      return try await room.use(number).value(cancelsSource: true)
    }
    world.runUntilIdle(after: room.entering.fulfill(7))
    world.runUntilIdle(after: result.cancel(reason: TestError(9), upstream: form == .up))
    #expect(result.failure == .test(9))
    world.runUntilIdle(after: body.end())
    #expect(outcomes.entries == [isStubborn ? "value 1" : "cancelled"])
    world.runUntilIdle(after: room.end())
  }

  @Test("If the use was not called, the outcome is the reason of the cancellation", arguments: CancelForm.allCases)
  func cancelledAcquisition(_ form: CancelForm) {
    let result = start { _ in
      Issue.record("The closure was called.")
      return 0
    }
    world.runUntilIdle(after: result.cancel(reason: TestError(9), upstream: form == .up))
    world.runUntilIdle(after: room.entering.fulfill(7))
    #expect(outcomes.entries == ["error 9"])
    world.runUntilIdle(after: room.end())
  }

  @Test("A look at the outcome does not handle an error", .rule("7.1"))
  func unhandled() {
    do { _ = start { _ in throw TestError(1) } }
    world.runUntilIdle(after: room.entering.fulfill(7))
    world.runUntilIdle(after: room.end())
    #expect(outcomes.entries == ["error 1"])
    #expect(world.takeUnhandled() == [1])
  }
}

@Suite("The outcome of a use in every order", .rule("2.10")) struct UseOutcomeOrderTests {
  @Test(
    "The release gets the outcome once, whatever the order of events",
    arguments: [nil] + CancelForm.allCases.map(Optional.some), [false, true])
  func exhaustive(_ form: CancelForm?, fails: Bool) throws {
    let exploration = try TestWorld.exploreAll { world in
      let room = Room()
      let outcomes = Log<String>()
      let result = Promise.using(
        room.enter,
        release: { number, outcome in
          outcomes.append(outcome.words)
          return room.leave(number)
        }, room.use)
      world.sometime("entered") { room.entering.fulfill(7) }
      world.sometime("done") {
        guard room.work.promise.isPending else { return }
        room.work.settle(fails ? .failure(TestError(2)) : .success(8))
      }
      world.sometime("left") { room.leaving.fulfill() }
      if let form { world.sometime("gives up") { result.cancel(reason: TestError(9), upstream: form == .up) } }
      world.runUntilIdle()
      let log = room.log.entries
      // The work of a closure that was called is settled in any case, perhaps by the cancellation.
      let expected = log.contains("use 7") ? room.work.promise.result?.words : result.result?.words
      world.expect(outcomes.entries == (log.contains("enter") ? [expected ?? ""] : []), "\(outcomes.entries) \(log)")
      // The work has no consumer if the closure was never called.
      _ = room.work.promise.result
      world.expect(
        result.failure == (result.isCancelled ? .test(9) : fails ? .test(2) : nil), "the result has its error")
    }
    #expect(exploration.isComplete)
  }
}
