import PromiseCombinators
import TestSupport
import Testing

extension Stress {
  @Suite("Random programs of several threads: explanations")
  struct ExplanationTests {
    private let cancelled = Outcome.failure(.cancellation, isCancelled: true)
    private let none = History.Observation(answer: nil, events: [])
    private let yes = History.Observation(answer: true, events: [])

    /// Expects a verdict on whether some order of actions explains that the threads have made these observations, and
    /// that the promises have ended with these outcomes.
    ///
    /// - Parameters:
    ///   - countOfOwners: The number of owners that are dropped at the end, by default one for each promise.
    ///   - late: The events of handlers that ran after the threads had ended.
    private func expect(
      _ expected: Explanation.Verdict, after prefix: [Step], _ threads: [[Step]], _ seen: [[History.Observation]],
      _ outcomes: [Outcome?], countOfOwners: Int? = nil, late: [Event] = [],
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let run = try #require(ConcurrentRun(ConcurrentProgram(prefix: prefix, threads: threads)))
      let jobs = (0..<Step.countOfContexts - 1).map { Step.run($0) }
      let steps: [Step] = jobs + (0..<(countOfOwners ?? outcomes.count)).map { .dropOwner($0) } + jobs
      var history = History(threads: seen)
      history.tail = steps.map { .init(step: $0, seen: none) }
      history.tail.insert(contentsOf: late.map { .init(step: .run(0), seen: .init(answer: nil, events: [$0])) }, at: 0)
      history.outcomes = outcomes
      #expect(run.verdict(on: history) == expected, "\(threads), \(outcomes)", sourceLocation: sourceLocation)
    }

    /// Covers failures that a soak found. In the first, the model knew only one order of the effects of a step after
    /// the threads had ended. In the second, the model cancelled a promise that was never made.
    @Test(
      "Cancels at the end and steps on released promises are explained", .rule("4.2", "8.1"),
      arguments: [
        ConcurrentProgram(prefix: [.make, .shield(0)], threads: [[.combine(.all(.cancelRemaining), [0, 1])]]),
        ConcurrentProgram(
          prefix: [.make], threads: [[.combine(.race(), [0]), .cancel(1, .cancellation)], [.drop(0)]]),
      ])
    func soaked(_ program: ConcurrentProgram) {
      #expect(ConcurrentCampaign(seeds: 0..<1).difference(in: program) == nil)
    }

    @Test(
      "A cancel of a followed promise spares links below the follower, even while its owner settles it", .rule("4.0"))
    func settlementInProgress() throws {
      let prefix: [Step] = [.make, .make, .link(0, .map, on: 0, .gives(1))]
      let threads: [[Step]] = [[.settle(0, .value(1))], [.follow(0, 1), .follow(0, 2), .cancel(1, .cancellation)]]
      let seen = [[yes], [yes, yes, none]]
      try expect(.unexplained, after: prefix, threads, seen, [.value(1), cancelled, cancelled])
      try expect(
        .explained, after: prefix, threads, seen, [.value(1), cancelled, .value(1)],
        late: [.ran(handler: 0, .value(1))])
    }

    /// Found by a soak. To settle is one step, so each call looks below a promise that the other has settled.
    @Test(
      "Two cancellations of one chain may each settle a part of it", .rule("4.3"), arguments: [105, 108], [105, 108])
    func twoReasons(_ first: Int, _ second: Int) throws {
      let prefix: [Step] = [
        .make, .settle(0, .value(1)), .link(0, .map, on: 2, .gives(1)), .link(1, .recover, on: 2, .gives(3)),
      ]
      let ends: [Outcome?] = [
        .value(1), .failure(.test(first), isCancelled: true), .failure(.test(second), isCancelled: true),
      ]
      let threads: [[Step]] = [[.cancel(0, .test(105))], [.cancel(1, .test(108))]]
      try expect(.explained, after: prefix, threads, [[none], [none]], ends)
    }

    /// The engine must find no consumer left and cancel the source in one step. The link must not get in between.
    @Test(
      "A link that is attached while the last consumer gives up finds its source cancelled and recovers", .rule("4.4"))
    func attachedToGivenUp() throws {
      let prefix: [Step] = [.make, .link(0, .map, on: 0, .gives(1))]
      let threads: [[Step]] = [
        [.cancel(1, .cancellation, upstream: true)], [.link(0, .recover, on: 1, .gives(2)), .run(1)],
      ]
      let ran = History.Observation(answer: nil, events: [.ran(handler: 1, .failure(.cancellation))])
      try expect(.explained, after: prefix, threads, [[none], [none, ran]], [cancelled, cancelled, .value(2)])
      // In this history, the handler has not run, and the link was cancelled with its source.
      try expect(.unexplained, after: prefix, threads, [[none], [none, none]], [cancelled, cancelled, cancelled])
    }

    /// Covers a failure that a soak found in one of 848,200 runs. In the model, a call looked below a settled
    /// promise only once.
    @Test(
      "A link attached to a settled promise during a cancel of the links below may be cancelled with them", .rule("4.3")
    )
    func attachedMeanwhile() throws {
      let other = Outcome.failure(.test(1), isCancelled: true)
      // The model does not explain every outcome. No call has cancelled the second link for the reason of the first.
      for (outcome, expected) in [(cancelled, Explanation.Verdict.explained), (other, .unexplained)] {
        try expect(
          expected, after: [.make, .settle(0, .value(1)), .link(0, .map, on: 1, .gives(1))],
          [[.cancel(0, .cancellation)], [.cancel(1, .test(1)), .link(0, .map, on: 0, .gives(1))]],
          [[none], [none, none]], [.value(1), cancelled, outcome], countOfOwners: 1)
      }
    }

    /// Covers a failure that a soak found in one of 1,914,000 runs. In the model, a call always looked twice.
    @Test("A link attached to a settled promise during a cancel of its observer need not be cancelled", .rule("4.3"))
    func attachedAfterLook() throws {
      let ran = History.Observation(answer: nil, events: [.ran(handler: 1, .value(1))])
      // The model does not explain every outcome. No handler of a cancelled link runs.
      for (outcome, expected) in [(Outcome.value(0), Explanation.Verdict.explained), (cancelled, .unexplained)] {
        try expect(
          expected, after: [.make, .settle(0, .value(1))],
          [
            [.link(0, .map, on: 0, .gives(0)), .run(1)],
            [.observe(0, .onFulfilled, on: 1), .cancel(0, .cancellation)],
          ],
          [[none, ran], [none, none]], [.value(1), outcome], countOfOwners: 1,
          late: [.ran(handler: 0, .value(1))])
      }
    }

    /// Covers a failure that a full stress run found in one of 54,100 runs. In the model, a handler had its place as
    /// soon as another thread could cancel it.
    @Test(
      "Of two handlers attached at the same time to a settled promise, either may run first", .rule("2.2"),
      arguments: [true, false])
    func attachedTogether(isOverlapping: Bool) throws {
      let failure = Outcome.Failure.test(1)
      let link = Step.link(0, .catch, on: 0, .gives(1))
      let failed = Outcome.failure(failure, isCancelled: false)
      // The second thread cancels what the first has attached, and then attaches a handler itself.
      let threads: [[Step]] = [[link], [.cancel(0, .cancellation), link]]
      try expect(
        isOverlapping ? .explained : .unexplained, after: [.make, .settle(0, .failure(.test(1)))],
        isOverlapping ? threads : [[link, .cancel(0, .cancellation), link]],
        isOverlapping ? [[none], [none, none]] : [[none, none, none]], [failed, cancelled, failed], countOfOwners: 1,
        late: [.ran(handler: 1, .failure(failure)), .ran(handler: 0, .failure(failure))])
    }

    /// Covers a failure that a soak found in one of 892,600 runs. In the model, no other thread acted between
    /// the settlement of a cancelled promise and the moment from which its outcome can be read.
    @Test(
      "A promise that follows a promise under cancellation is rejected and not cancelled", .rule("3.1", "4.0"),
      arguments: [true, false])
    func followsWhileCancelled(afterCancel: Bool) throws {
      let cancelled = Outcome.failure(.test(3), isCancelled: true)
      let refused = History.Observation(answer: false, events: [.second(1, afterCancel: afterCancel)])
      try expect(
        afterCancel ? .unexplained : .explained, after: [.make, .make],
        [[.cancel(0, .test(1)), .follow(1, 0)], [.cancel(0, .test(3)), .settle(1, .value(1))]],
        [[none, yes], [none, refused]], [cancelled, cancelled])
    }

    /// Covers a failure that a soak found in one of 1,263,500 runs. In the model, to follow a settled promise and to
    /// take over its outcome was one action.
    @Test("An owner may settle its promise before a promise that it has just followed does", .rule("3.4"))
    func settledWhileFollowing() throws {
      let threads: [[Step]] = [[.cancel(0, .cancellation), .settle(1, .value(2))], [.follow(1, 0)]]
      try expect(.explained, after: [.make, .make], threads, [[none, yes], [yes]], [cancelled, .value(2)])
      // Only one of them settles it.
      try expect(.unexplained, after: [.make, .make], threads, [[none, yes], [yes]], [cancelled, cancelled])
    }

    /// Covers a failure that a full stress run found once. In the model, the promises that a call cancels were
    /// published only after the call had reached all of them.
    @Test(
      "A promise that follows a promise just cancelled by a call is settled by that promise", .rule("3.1", "4.2", "4.3")
    )
    func followsCancelled() throws {
      let refused = History.Observation(answer: false, events: [.second(0, afterCancel: false)])
      // The model does not explain every outcome. The promise does not stay pending.
      for outcome in [cancelled, nil] {
        try expect(
          outcome == nil ? .unexplained : .explained, after: [.make, .make],
          [
            [.follow(0, 1), .cancel(1, .cancellation, upstream: true)],
            [.link(1, .map, on: 0, .gives(1)), .follow(0, 2), .settle(0, .value(1))],
          ],
          [[yes, none], [none, yes, refused]], [outcome, cancelled, cancelled], countOfOwners: 2)
      }
    }

    @Test(
      "A promise that a cancelled promise was to follow or adopt is given up before that call returns",
      .rule("3.1", "4.3", "4.4"), arguments: [true, false])
    func followsTooLate(_ isOwner: Bool) throws {
      let cancelled = Outcome.failure(.test(1), isCancelled: true)
      let (prefix, late): ([Step], Step) =
        isOwner
        ? ([.make, .make], .follow(0, 1))
        : ([.start(.body, on: 0, .adopts(1)), .make], .run(0))
      let refused = Event.second(0, afterCancel: true)
      let seenLate = History.Observation(
        answer: isOwner ? false : nil, events: isOwner ? [refused] : [.ran(handler: 0, .start), refused])
      let cancel = Step.cancel(0, .test(1))
      let settles = [late, .settle(1, .value(1))]
      let broken = Outcome.failure(.broken(1), isCancelled: false)
      // The reason is that of the cancellation. In the last case, the same thread cancels.
      let cases: [([[Step]], [[History.Observation]], Outcome, Explanation.Verdict)] = [
        ([[cancel], settles], [[none], [seenLate, yes]], .value(1), .unexplained),
        ([[cancel], [late]], [[none], [seenLate]], cancelled, .explained),
        ([[cancel], [late]], [[none], [seenLate]], broken, .unexplained),
        ([[cancel], [late]], [[none], [seenLate]], self.cancelled, .unexplained),
        ([[.run(1)], [cancel] + settles], [[none], [none, seenLate, yes]], .value(1), .unexplained),
      ]
      for (threads, seen, outcome, expected) in cases {
        try expect(expected, after: prefix, threads, seen, [cancelled, outcome])
      }
    }

    /// Covers a gap in the model, in which the cancelling thread gave up both promises before its call returned.
    @Test(
      "A thread that settles one followed promise gives up the other if their follower is being cancelled",
      .rule("3.4", "4.3", "4.4"))
    func followsTwo() throws {
      let cancelled = Outcome.failure(.test(1), isCancelled: true)
      let prefix: [Step] = [.make, .make, .make, .follow(0, 1), .follow(0, 2)]
      let settle = Step.settle(1, .value(1))
      let cancel = Step.cancel(0, .test(1))
      let next = Step.settle(2, .value(2))
      let broken = Outcome.failure(.broken(2), isCancelled: false)
      // The settling thread must not forget the other promise. In the last case, no other thread settles a followed
      // promise, so the cancellation cannot be late.
      let cases: [([[Step]], [[History.Observation]], [Outcome], Explanation.Verdict)] = [
        ([[settle], [cancel, next]], [[yes], [none, yes]], [cancelled, .value(1), .value(2)], .explained),
        ([[settle], [cancel]], [[yes], [none]], [cancelled, .value(1), broken], .unexplained),
        ([[.run(0)], [cancel, next]], [[none], [none, yes]], [cancelled, cancelled, .value(2)], .unexplained),
      ]
      for (threads, seen, outcomes, expected) in cases {
        try expect(expected, after: prefix, threads, seen, outcomes)
      }
    }
  }
}
