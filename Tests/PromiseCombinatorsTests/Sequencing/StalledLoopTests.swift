import PromiseCombinators
import TestSupport
import Testing

@Suite("Loops with a thread that stalls between attaching and returning a step", .rule("4.11"), .leavingNothing)
struct StalledLoopTests {
  private let context = StallingContext()
  private let begun = Log<Int>()

  @Test("A cancelled loop stops at the step whose thread stalls", arguments: Loop.all.dropLast(), CancelForm.allCases)
  func cancelled(_ loop: Loop, _ form: CancelForm) {
    for steps in 0..<3 {
      let context = StallingContext()
      let census = Tracked.Census()
      let begun = Log<Int>()
      let result = loop.start(100, context) { [tracked = Tracked(census)] number in
        withExtendedLifetime(tracked) { begun.append(number) }
        return .fulfilled(number)
      }
      context.step(steps)
      let stall = context.stallNext()
      let thread = OtherThread { context.step() }
      stall.wait()
      context.step(3)
      #expect(begun.entries == Array(0..<steps + 4))
      #expect(result.isPending)
      form.apply(to: result)
      #expect(result.isCancelled)
      context.step(20)
      stall.end()
      thread.join()
      context.step(200)
      #expect(begun.entries == Array(0..<steps + 4))
      #expect(census.living == 0)
    }
  }

  @Test(
    "A cancelled or failed traversal stops at the step whose thread stalls", arguments: [CancelForm.down, .up, nil])
  func traversal(_ form: CancelForm?) {
    let failing = Deferred<Int>()
    let result = Promise.traverse(-1..<100, concurrency: 2, on: context) { [begun] number in
      begun.append(number, returning: number < 0 ? failing.promise : .fulfilled(number))
    }
    context.step()
    // The thread of the second worker stalls after it has attached the rest of its work, which waits for its turn to
    // read the sequence. The thread stalls again after it has passed on the turn.
    let attaching = context.stallNext()
    let thread = OtherThread { [context] in context.step() }
    attaching.wait()
    context.step()
    let passing = context.stallNext()
    attaching.end()
    passing.wait()
    context.step(9)
    let before = begun.entries
    #expect(before.count > 4)
    #expect(result.isPending)
    if let form { form.apply(to: result) } else { failing.reject(TestError(1)) }
    #expect(result.isCancelled == (form != nil))
    #expect(result.isRejected)
    context.step(20)
    passing.end()
    thread.join()
    context.step(200)
    #expect(begun.entries == before)
  }

  @Test("A cancelled retry stops at the attempt whose thread stalls", arguments: [false, true], CancelForm.allCases)
  func retry(inPause: Bool, _ form: CancelForm) {
    let timers = TardyTimers()
    let asked = Log<Int>()
    let shouldRetry: @Sendable (Int, any Error) -> Bool = { attempt, _ in asked.append(attempt, returning: true) }
    let reports = Log<UnhandledRejection>()
    func start() -> Promise<Int> {
      .retry(attempts: 100, on: context, timers: timers, while: shouldRetry) { [begun] in
        begun.append(1)
        throw TestError(1)
      }
    }
    let result = Diagnostics.scoped(unhandledRejection: { reports.append($0) }, start)
    context.step(2)
    // The thread of the first pause stalls after it has scheduled the second attempt. When that attempt has failed, the
    // thread stalls again, because it has scheduled the handler of the failure.
    let attempting = context.stallNext()
    let thread = OtherThread { timers.ring() }
    attempting.wait()
    context.step()
    let failing = context.stallNext()
    attempting.end()
    failing.wait()
    for _ in 0..<3 {
      context.step()
      timers.ring()
      context.step()
    }
    #expect(begun.entries.count == 5)
    #expect(asked.entries == Array(1...4))
    if inPause { context.step() }
    form.apply(to: result)
    #expect(result.isCancelled)
    let before = asked.entries
    for _ in 0..<20 {
      context.step()
      timers.ring()
    }
    failing.end()
    thread.join()
    for _ in 0..<20 {
      context.step()
      timers.ring()
    }
    #expect(begun.entries.count == 5)
    #expect(asked.entries == before)
    #expect(reports.entries.isEmpty)
  }

  @Test(
    "A cancelled loop over an asynchronous sequence neither reads nor goes on beyond the step whose thread stalls",
    arguments: [false, true], CancelForm.allCases)
  func asyncSequence(hasRead: Bool, _ form: CancelForm) {
    let environment = StallingWorld()
    let asked = Log<Int>()
    let owner = Deferred<Int>()
    let result = environment.run { [begun] in
      Promise.forEach(Ticks(100, asked), on: context) { number in
        begun.append(number, returning: number == 0 ? owner.promise : .fulfilled(number))
      }
    }
    @Sendable func step(_ count: Int) {
      for _ in 0..<count {
        environment.world.runUntilIdle()
        context.step()
      }
    }
    step(1)
    // The thread that fulfils the first promise stalls after it has requested the second element. It makes a promise
    // for the element and then a promise for the rest of the loop. It stalls again after it has scheduled the handler
    // for the second element.
    let requesting = environment.stall(atPromise: 2)
    let thread = OtherThread { owner.fulfill(0) }
    requesting.wait()
    environment.world.runUntilIdle()
    let scheduling = context.stallNext()
    requesting.end()
    scheduling.wait()
    context.step()
    step(4)
    if hasRead { environment.world.runUntilIdle() }
    let elements = Array(0...(hasRead ? 6 : 5))
    #expect(begun.entries == Array(0...5))
    #expect(asked.entries == elements)
    let work = Deferred<Int>()
    work.onCancel { _ in
      // The hook that cancels the Task of the sequence runs when this hook has returned (rule 4.5).
      form.apply(to: result)
      #expect(result.isCancelled)
      step(20)
    }
    work.promise.cancel()
    #expect(begun.entries == Array(0...5))
    #expect(asked.entries == elements)
    scheduling.end()
    thread.join()
    step(200)
    #expect(begun.entries == Array(0...5))
    #expect(asked.entries == elements)
  }

  @Test("An asyncRetry that is cancelled makes no attempt before its Task is cancelled", arguments: 20..<30)
  func asyncRetry(steps: Int) {
    let world = TestWorld()
    let asked = Log<Int>()
    let shouldRetry: @Sendable (Int, any Error) async -> Bool = { attempt, _ in asked.append(attempt, returning: true) }
    let result = world.run { [begun] in
      Promise<Int>.asyncRetry(attempts: .max, backoff: .constant(.zero), while: shouldRetry) {
        begun.append(1)
        try await Promise<Void>.after(.zero).value
        throw TestError(1)
      }
    }
    for _ in 0..<steps { world.step() }
    #expect(begun.entries.count > 3)
    let work = Deferred<Int>()
    work.onCancel { [begun] _ in
      // The hook that cancels the Task runs when this hook has returned (rule 4.5).
      result.cancel()
      let before = (begun.entries.count, asked.entries.count)
      for _ in 0..<20 { world.step() }
      #expect((begun.entries.count, asked.entries.count) == before)
    }
    work.promise.cancel()
    #expect(result.isCancelled)
  }
}
