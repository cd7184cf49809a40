import PromiseCombinators
import TestSupport
import Testing

@Suite("A retry that asks whether to make another attempt", .leavingNothing) struct RetryAskingTests {
  private let world = TestWorld()
  private let begun = Log<Int>()
  private let asked = Log<Int>()

  /// Makes attempts that fail with their numbers. The answers are the given promises.
  private func start(
    attempts: Int = 9, within limit: Duration? = nil,
    _ answers: [Promise<Bool>], _ body: (@Sendable (Int) throws -> Promise<Int>)? = nil
  ) -> Promise<Int> {
    world.start {
      Promise.retry(
        attempts: attempts, within: limit, carrying: (),
        asking: { [asked] attempt, error in
          #expect((error as? TestError)?.number == attempt.number)
          asked.append(attempt.number)
          return answers.count < attempt.number ? .rejected(TestError(99)) : answers[attempt.number - 1]
        },
        { [begun] attempt in
          begun.append(attempt.number)
          if let body { return try body(attempt.number) }
          throw TestError(attempt.number)
        })
    }
  }

  @Test("The pause begins when the answer is true, and false ends the attempts with the last error")
  func answers() {
    let owners = (0..<2).map { _ in Deferred<Bool>() }
    let result = start(owners.map(\.promise))
    world.advance(by: .seconds(60))
    #expect(begun.entries == [1])
    world.runUntilIdle(after: owners[0].fulfill(true))
    #expect(begun.entries == [1])
    world.advance(by: .seconds(1))
    #expect(begun.entries == [1, 2])
    #expect(result.isPending)
    world.runUntilIdle(after: owners[1].fulfill(false))
    #expect(result.failure == .test(2))
    #expect(asked.entries == [1, 2])
    world.advance(by: .seconds(60))
    #expect(begun.entries == [1, 2])
  }

  @Test("A retry goes on if the promise of the answer is cancelled after it was fulfilled", .rule("4.0"))
  func answerCancelledLater() {
    let winner = Deferred<Bool>()
    let loser = Deferred<Bool>()
    let stopped = Deferred<Void>()
    loser.onCancelThen(on: .atOnce) { _ in stopped.promise }
    // A promise that has not finished, because the library would bypass the step that waits for another one (rule 3.3).
    let answer = Promise.any([winner.promise, loser.promise], cancelsLosers: true)
    let result = start([answer]) { number in
      if number == 1 { throw TestError(1) }
      return .fulfilled(number)
    }
    world.runUntilIdle(after: winner.fulfill(true))
    #expect(answer.isFulfilled)
    #expect(!answer.isFinished)
    answer.cancel()
    #expect(result.isPending)
    world.advance(by: .seconds(1))
    #expect(result.state.value == 2)
    stopped.fulfill()
  }

  @Test("Neither the last attempt, nor a fulfilled or a cancelled one, is followed by a question", .rule("1.2"))
  func notAsked() {
    #expect(start(attempts: 1, []).failure == .test(1))
    #expect(start([]) { .fulfilled($0) }.state.value == 1)
    #expect(start([]) { _ in throw CancellationError() }.isCancelled)
    #expect(asked.entries.isEmpty)
  }

  @Test("No client is asked if the pause would end after the limit, and the time for an answer counts")
  func limit() {
    #expect(start(within: .milliseconds(900), []).failure == .test(1))
    #expect(asked.entries.isEmpty)
    let owner = Deferred<Bool>()
    let slow = start(within: .seconds(5), [owner.promise])
    world.advance(by: .milliseconds(4_500))
    #expect(slow.isPending)
    world.runUntilIdle(after: owner.fulfill(true))
    #expect(slow.failure == .test(1))
    #expect(begun.entries == [1, 1])
  }

  @Test("If the question fails, its error rejects the result", arguments: [false, true])
  func failure(throws isThrown: Bool) {
    let result = world.start {
      Promise<Int>.retry(
        carrying: (),
        asking: { _, _ in
          if isThrown { throw TestError(7) }
          return .rejected(TestError(7))
        }, { _ in throw TestError(1) })
    }
    world.advance(by: .seconds(60))
    #expect(result.failure == .test(7))
    #expect(!result.isCancelled)
  }

  @Test("A cancelled question cancels the result", .rule("1.2"))
  func cancelledQuestion() {
    let owner = Deferred<Bool>()
    let result = start([owner.promise])
    world.runUntilIdle(after: owner.promise.cancel(reason: TestError(8)))
    #expect(result.isCancelled)
    #expect(result.failure == .test(8))
    #expect(begun.entries == [1])
  }

  @Test(
    "A cancelled retry gives up the attempt, the question or the pause", .rule("4.6", "4.11"),
    arguments: CancelForm.allCases)
  func cancelled(_ form: CancelForm) {
    let attempt = StoppableWork()
    let running = start([]) { _ in attempt.promise }
    running.cancel(reason: TestError(3), upstream: form == .up)
    #expect(attempt.isStopped)
    #expect(attempt.reasonNumbers == [3])
    let question = Deferred<Bool>()
    let reasons = Log<Int>()
    question.onCancel(on: .atOnce) { reasons.append(($0 as? TestError)?.number ?? -1) }
    let asking = start([question.promise])
    asking.cancel(reason: TestError(4), upstream: form == .up)
    #expect(question.promise.isCancelled)
    #expect(reasons.entries == [4])
    let pausing = start([.fulfilled(true)])
    #expect(world.armed == 1)
    pausing.cancel(reason: TestError(5), upstream: form == .up)
    #expect(world.armed == 0)
    world.advance(by: .seconds(60))
    #expect([running, asking, pausing].map(\.failure) == [.test(3), .test(4), .test(5)])
    #expect(begun.entries == [1, 1, 1])
  }

  @Test("A question that other clients want goes on", .rule("4.4"))
  func sharedQuestion() {
    let question = Deferred<Bool>()
    let other = question.promise.map(on: world.main) { $0 }
    let result = start([question.promise])
    result.cancel()
    #expect(question.promise.isPending)
    world.runUntilIdle(after: question.fulfill(true))
    world.advance(by: .seconds(60))
    #expect(other.state.value == true)
    #expect(begun.entries == [1])
  }

  @Test("A cancelled retry has finished when the work behind its question has stopped", .rule("2.11"))
  func finish() {
    let question = Deferred<Bool>()
    let stopped = Deferred<Void>()
    question.onCancelThen(on: .atOnce) { _ in stopped.promise }
    let result = start([question.promise])
    result.cancel()
    world.runUntilIdle()
    #expect(!result.isFinished)
    world.runUntilIdle(after: stopped.fulfill())
    #expect(result.isFinished)
  }

  @Test("A retry that asks names what it waits for")
  func causes() {
    let question = Deferred<Bool>(fileID: "M/F", line: 3)
    let result = world.start {
      Promise<Int>.retry(carrying: (), asking: { _, _ in question.promise }, fileID: "M/F", line: 2) { _ in
        throw TestError(1)
      }
    }
    let text = result.waitsFor.map(\.description).joined()
    #expect(text.contains("retry at M/F:2"))
    #expect(text.contains("waits for its owner, made at M/F:3"))
    question.fulfill(false)
    world.runUntilIdle()
    #expect(result.failure == .test(1))
  }

  @Test("The error of the last attempt or of the question is reported once", .rule("7.1"), arguments: 0..<4)
  func reports(_ variant: Int) {
    let answer: Promise<Bool> =
      switch variant {
      case 0: .fulfilled(false)
      case 1: .fulfilled(true)
      case 2: .rejected(TestError(7))
      default: .fulfilled(true)
      }
    let context = ManualContext()
    let reports = reported {
      let result = Promise<Int>.retry(
        attempts: 2, backoff: .constant(.zero), on: context, timers: world.clock, carrying: (),
        asking: { _, _ in answer },
        { attempt in
          if variant == 3, attempt.number == 2 { return .fulfilled(1) }
          throw TestError(attempt.number)
        })
      context.runUntilIdle()
      world.advance(by: .seconds(1))
      context.runUntilIdle()
      #expect(!result.isPending)
    }
    #expect(reports == [[1], [2], [7], []][variant])
  }

  @Test("In every order of an answer, a cancellation and the steps, a cancelled retry stops", .rule("4.6", "4.11"))
  func explored() throws {
    let ends = Log<String>()
    // A rejection whose handler the cancellation takes back stays unhandled (rules 2.5 and 7.1).
    let checks = TestWorld.Checks.all.subtracting([.unhandledRejections, .unstoppedWork])
    let exploration = try TestWorld.exploreAll(checking: checks) { world in
      let census = Tracked.Census()
      do {
        let question = Deferred<Bool>()
        let begun = Log<Int>()
        let isCancelled = Log<Void>()
        let result = Promise<Int>.retry(
          attempts: 3, backoff: .constant(.zero), on: world.main, carrying: Tracked(census),
          asking: { attempt, _ in
            world.expect(isCancelled.entries.isEmpty, "a question after the cancellation")
            attempt.carry(Tracked(census))
            return question.promise
          },
          { attempt in
            world.expect(isCancelled.entries.isEmpty, "an attempt after the cancellation")
            begun.append(attempt.number)
            if attempt.number == 2 { return .fulfilled(2) }
            throw TestError(attempt.number)
          })
        world.sometime("answer") { question.fulfill(true) }
        world.sometime("cancel") {
          result.cancel()
          isCancelled.append(())
        }
        world.runUntilIdle()
        world.expect(!result.isPending)
        world.expect(world.armed == 0)
        world.expect(result.isCancelled || result.state.value == 2)
        world.expect(result.isCancelled || begun.entries == [1, 2])
        ends.append(result.isCancelled ? "cancelled in attempt \(begun.entries.last ?? 0)" : "fulfilled")
      }
      world.expect(census.living == 0, "a value is left")
    }
    #expect(exploration.isComplete)
    #expect(Set(ends.entries).isSuperset(of: ["cancelled in attempt 0", "cancelled in attempt 1", "fulfilled"]))
  }
}
