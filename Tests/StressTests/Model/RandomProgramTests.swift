import PromiseCombinators
import TestSupport
import Testing

extension Stress {
  @Suite("Random programs")
  struct RandomProgramTests {
    /// A failure names the seed, which reproduces the program, and the smallest failing program.
    @Test("Random programs of one thread match the model", .rule("2.5", "3.1", "4.0", "4.2", "4.4", "4.5", "6.3"))
    func sequential() {
      let campaign = Campaign(seeds: 0..<UInt64(Effort.of(10_000, full: 100_000)))
      let tally = campaign.runOnAllCores()
      print("Random programs: \(tally)")
      if let failure = tally.failure { Issue.record("\(failure)") }
      // If the contract left many programs open, the comparison would check little.
      #expect(tally.open * 100 < tally.programs)
    }

    @Test(
      "Hooks of a cancellation that a hook causes run when that hook has returned", .rule("4.5"),
      arguments: [
        [
          .make, .hook(0, doing: .settle(0, .value(1))), .make,
          .hook(1, doing: .cancel(0, .cancellation, upstream: true)),
          .cancel(1, .cancellation, upstream: true),
        ],
        // A hook that was already waiting runs after those that the first hook causes.
        [
          .make, .hook(0), .make, .hook(1, doing: .cancel(0, .cancellation)), .hook(1), .make,
          .hook(2, doing: .cancel(1, .cancellation)), .cancel(2, .cancellation),
        ],
        // A hook that is registered after the cancellation runs at once, even inside another hook.
        [
          .make, .make, .hook(1), .hook(0, doing: .hook(0, doing: .cancel(1, .cancellation))),
          .cancel(0, .cancellation),
        ],
        // A hook that is registered after the cancellation is a hook, too.
        [
          .make, .make, .hook(0, doing: .settle(0, .value(1))), .cancel(1, .cancellation),
          .hook(1, doing: .cancel(0, .cancellation)),
        ],
        // The same again, when such a hook has run before.
        [
          .make, .cancel(0, .cancellation), .hook(0, doing: .look(0)), .make,
          .hook(1, doing: .cancel(0, .cancellation)),
          .follow(0, 1),
        ],
      ] as [[Step]])
    func nestedHooks(_ program: [Step]) {
      #expect(Comparison(program).difference == nil)
    }

    @Test(
      "A promise that follows another one may keep the progress of the first, which no client has read", .rule("5.1"),
      arguments: [
        [
          .make, .combine(.race(cancelsLosers: false), [0]), .look(1), .make, .make, .report(3, eighths: 4),
          .follow(0, 3), .follow(0, 2), .report(0, eighths: 4),
        ],
        [
          .make, .make, .combine(.race(cancelsLosers: false), [0]), .make,
          .link(2, .map, on: 0, .gives(1)), .follow(0, 3), .report(3, eighths: 4), .look(4), .follow(0, 1), .look(2),
        ],
      ] as [[Step]])
    func keptProgress(_ program: [Step]) {
      #expect(Comparison(program).difference == nil)
    }

    @Test(
      "A promise that has adopted another, and that no client retains, may leave its report to that promise",
      .rule("3.3", "7.1"),
      arguments: [
        [
          .make, .link(0, .always, on: 2, .gives(1)), .link(0, .thenBoth, on: 0, .adopts(1)),
          .link(0, .recover, on: 0, .gives(1)), .make, .follow(4, 3), .follow(4, 2),
        ],
        [
          .make, .link(0, .map, on: 0, .gives(1)), .link(1, .recover, on: 0, .gives(1)),
          .link(1, .map, on: 0, .gives(1)), .link(1, .map, on: 0, .gives(1)), .link(3, .always, on: 0, .gives(1)),
          .link(0, .thenBoth, on: 0, .adopts(5)), .make, .follow(7, 6), .follow(7, 2),
        ],
      ] as [[Step]])
    func reportsOfBypassed(_ program: [Step]) {
      #expect(Comparison(program).difference == nil)
    }

    @Test("Of a promise that has adopted another, and of that promise, exactly one reports", .rule("3.3", "7.1"))
    func oneReportOfBypassed() {
      let failure = SeenOutcome.failure(.broken(0))
      let steps: [(Step, [Event])] = [
        (.make, []), (.link(0, .always, on: 2, .gives(1)), []), (.link(0, .thenBoth, on: 0, .adopts(1)), []),
        (.drop(2), []), (.dropOwner(0), []), (.run(0), [.ran(handler: 1, failure)]),
        (.run(2), [.ran(handler: 0, failure)]),
      ]
      var model = Model()
      for (step, seen) in steps { _ = model.perform(step, seen: seen) }
      #expect(model.allows(unhandled: [1]))
      #expect(model.allows(unhandled: [2]))
      #expect(!model.allows(unhandled: []))
      #expect(!model.allows(unhandled: [1, 2]))
    }

    @Test(
      "Programs in which a defect was found match the model", .rule("2.10", "2.11", "3.2", "4.7", "7.1"),
      arguments: [
        // A cleanup of a cancelled promise returns a settled promise that waits for it.
        [
          .make, .make, .link(0, .alwaysThen, on: 0, .adopts(1)), .link(2, .map, on: 0, .gives(1)),
          .link(3, .always, on: 0, .gives(1)), .cancel(2, .cancellation), .follow(1, 4),
        ],
        // The error of a ring through a hook is handled.
        [
          .make, .make, .observe(1, .onSettled, on: 0), .combine(.race(), [1]), .awaitedHook(0, .cancel, returning: 2),
          .cancel(0, .cancellation), .follow(1, 0),
        ],
        // A promise is settled by a promise that has finished, and follows another that has not.
        [
          .make, .make, .link(1, .always, on: 0, .gives(1)), .follow(0, 2), .follow(0, 1), .cancel(1, .cancellation),
        ],
        // The last of several cancelled Tasks gives up a promise, for whose finish the first one waits, too.
        [
          .make, .link(0, .always, on: 0, .gives(1)), .await(1, isCancelled: false, cancelsSource: true),
          .await(1, isCancelled: false, cancelsSource: false), .await(1, isCancelled: false, cancelsSource: true),
          .cancelTasks(1),
        ],
        // A result that is not cancelled gives up a loser for the reason of the input that has decided.
        [
          .make, .settle(0, .failure(.test(1))), .make, .make, .combine(.some(2, cancelsLosers: true), [1, 2, 0]),
          .cancel(2, .test(1)),
        ],
        // A promise that a handler returns too late waits for that of the handler, through one that is given up, too.
        [
          .make, .cancel(0, .cancellation), .link(0, .map, on: 0, .gives(1)), .make, .link(2, .map, on: 0, .gives(1)),
          .link(0, .thenBoth, on: 0, .adopts(3)), .cancel(4, .cancellation), .link(4, .always, on: 0, .gives(1)),
          .follow(2, 5),
        ],
        // The cleanup behind a `Promise(on:)` that never starts begins after the other handlers are scheduled.
        [
          .start(.body, on: 0, .gives(1)), .link(0, .alwaysThen, on: 1, .gives(1)), .observe(0, .onSettled, on: 1),
          .cancel(0, .cancellation),
        ],
        [
          .start(.body, on: 0, .gives(1)), .combine(.race(), [0]), .link(1, .alwaysThen, on: 0, .gives(1)),
          .observe(1, .onSettled, on: 0), .cancel(1, .cancellation, upstream: true),
        ],
        // The job of a handler is dropped while the source of the handler is being settled, which has followed a promise.
        [
          .make, .make, .follow(0, 1), .link(0, .map, on: 3, .gives(1)), .combine(.all(.cancelRemaining), [1, 2]),
          .settle(0, .value(1)),
        ],
        // A cleanup is in the list of its source beside the kept handler of a promise that was cancelled before.
        [
          .make, .link(0, .always, on: 2, .gives(1)), .link(1, .alwaysThen, on: 0, .gives(1)),
          .link(1, .thenBoth, on: 0, .gives(1)), .cancel(3, .cancellation), .cancel(0, .cancellation),
        ],
        // A link keeps its handler, and another link gives their source up.
        [
          .make, .link(0, .thenBoth, on: 0, .gives(1)), .link(0, .map, on: 0, .gives(1)), .combine(.race(), [1, 2]),
          .await(3, isCancelled: true, cancelsSource: true),
        ],
        // A ring goes through a hook and through a promise that a handler returns too late.
        [
          .make, .make, .settle(1, .value(1)), .link(1, .then, on: 1, .first(.cancel(2, .cancellation), .adopts(0))),
          .awaitedHook(0, .cancel, returning: 2), .run(1),
        ],
        [
          .make, .make, .cancel(0, .cancellation), .link(1, .map, on: 0, .gives(1)),
          .link(0, .thenBoth, on: 1, .adopts(2)), .cancel(3, .cancellation), .awaitedHook(1, .cancel, returning: 3),
          .run(1),
        ],
        // An owner is too late to close a ring, so the promises that it would contain have reports of their own.
        [
          .make, .observe(0, .onSettled, on: 0), .settle(0, .value(1)), .link(0, .then, on: 0, .adopts(1)), .make,
          .link(1, .map, on: 0, .gives(1)), .link(1, .map, on: 0, .gives(1)), .awaitedHook(2, .cancel, returning: 4),
          .cancel(2, .cancellation), .follow(0, 2),
        ],
        // A context drops a job, and so the job of a link, which a hook for the end of another promise cancels.
        [
          .make, .link(0, .map, on: 2, .gives(1)), .settle(0, .value(1)), .make, .link(1, .recover, on: 3, .gives(1)),
          .follow(2, 1), .awaitedHook(2, .anyEnd, returning: 0, doing: .cancel(3, .cancellation)), .dropJobs(2),
        ],
        // A cleanup returns a promise of a ring whose error was handled.
        [
          .make, .link(0, .map, on: 0, .gives(1)), .link(1, .recover, on: 1, .gives(1)),
          .link(2, .alwaysThen, on: 0, .adopts(1)), .follow(0, 3), .run(1), .cancel(2, .cancellation),
        ],
        [
          .make, .link(0, .recover, on: 0, .gives(1)), .make, .link(1, .alwaysThen, on: 1, .adopts(2)), .follow(2, 0),
          .follow(0, 3), .run(0), .cancel(3, .cancellation), .run(1),
        ],
        [
          .make, .combine(.allSettled(atLeast: 0), [0]), .link(1, .alwaysThen, on: 1, .adopts(0)), .follow(0, 2),
          .run(1),
        ],
      ] as [[Step]])
    func defects(_ program: [Step]) {
      #expect(Comparison(program).difference == nil)
    }

    /// The failed promise had followed the input that `cancelRemaining` gives up.
    @Test("A promise that follows two promises and fails with either does not cancel its links", .rule("4.0", "4.8"))
    func followsTwo() {
      let program: [Step] = [
        .make, .make, .follow(1, 0), .combine(.all(.cancelRemaining), [0, 1]), .link(1, .recover, on: 0, .gives(1)),
        .make, .settle(4, .failure(.test(1))), .follow(1, 4),
      ]
      #expect(Comparison(program).difference == nil)
      var model = Model()
      for step in program { _ = model.perform(step, seen: []) }
      #expect(model.isPending(3))
      #expect(model.nodes[0].isCancelled)
    }

    @Test("Random programs meet every outcome, every kind of handler and every step", .rule("1.1", "3.2", "6.2"))
    func coverage() {
      func name(_ value: Any) -> String { "\(value)".prefix { $0 != "(" }.description }
      var seen: Set<String> = []
      for seed in 0..<UInt64(3_000) {
        var model = Model()
        for step in Generator.program(seed) {
          seen.insert("." + name(step))
          _ = model.perform(step, seen: [])
          seen.formUnion(model.events.map { name($0) })
          if case .ran(let number, _)? = model.events.first { seen.insert("\(model.handlers[number].kind)") }
        }
        for node in model.nodes {
          seen.insert(node.outcome.map { $0.failure.map { name($0) } ?? "fulfilled" } ?? "pending")
        }
      }
      let outcomes = [
        "fulfilled", "pending", "test", "cancellation", "broken", "cycle", "dropped", "refused", "noValue",
        "noneFulfilled", "emptyInput",
      ]
      let steps = [
        ".make", ".link", ".start", ".shield", ".observe", ".settle", ".follow", ".cancel", ".hook",
        ".dropOwner", ".drop", ".run", ".dropJobs", ".combine", ".await", ".cancelTasks", ".report", ".look",
      ]
      let kinds = Kind.allCases.filter { ![.shielded, .onProgress].contains($0) && !$0.isWaiter }.map { "\($0)" }
      #expect(
        seen.isSuperset(of: outcomes + steps + kinds + ["ran", "answered", "hook", "second", "awaited", "progress"]))
    }
  }
}
