import PromiseCombinators
import TestSupport
import TestedCalls
import Testing

extension Stress {
  @Suite("The program generator and the shrinker")
  struct GeneratorTests {
    /// A fault in the promises, and the number of steps of the smallest program that shows it.
    struct Fault: CustomTestStringConvertible, Sendable {
      let testDescription: String
      let count: Int
      let instead: @Sendable (Step) -> Step?

      init(_ name: String, _ count: Int, instead: @escaping @Sendable (Step) -> Step?) {
        (testDescription, self.count, self.instead) = (name, count, instead)
      }
    }

    static let faults = [
      Fault("the way up is forgotten", 3) {
        if case .cancel(let promise, let reason, true) = $0 { .cancel(promise, reason) } else { $0 }
      },
      Fault("cancel forgets the reason", 2) {
        guard case .cancel(let promise, _, let upstream) = $0 else { return $0 }
        return .cancel(promise, .cancellation, upstream: upstream)
      },
      Fault("hooks are forgotten", 3) {
        switch $0 {
        case .hook, .awaitedHook: nil
        default: $0
        }
      },
      Fault("always does not run if only its own promise is cancelled", 4) {
        guard case .link(let promise, .always, let context, let behaviour) = $0 else { return $0 }
        return .link(promise, .mapBoth, on: context, behaviour)
      },
      Fault("cancelRemaining cancels nothing", 4) {
        if case .combine(.all(.cancelRemaining), let inputs) = $0 { .combine(.all(.leaveRunning), inputs) } else { $0 }
      },
      Fault("race waits for a value", 4) {
        guard case .combine(.race(let cancels), let inputs) = $0 else { return $0 }
        return .combine(.any(cancelsLosers: cancels), inputs)
      },
      Fault("a Task that is cancelled goes on waiting", 3) { if case .cancelTasks = $0 { nil } else { $0 } },
      Fault("a Task that was cancelled before waits", 2) {
        guard case .await(let promise, true, let cancelsSource) = $0 else { return $0 }
        return .await(promise, cancelsSource: cancelsSource)
      },
      Fault("reports are forgotten", 2) { if case .report = $0 { nil } else { $0 } },
      Fault("a hook does not act", 3) { if case .hook(let promise, _) = $0 { .hook(promise) } else { $0 } },
      Fault("following is forgotten", 2) { if case .follow = $0 { nil } else { $0 } },
    ]

    @Test(
      "A fault of the promises is found within a few hundred programs and shrinks to a minimal program",
      arguments: faults)
    func fault(_ fault: Fault) throws {
      let tally = Campaign(seeds: 0..<500, fault: fault.instead).run()
      let failure = try #require(tally.failure)
      print("\(fault.testDescription): \(tally.programs) programs, \(failure)")
      #expect(failure.program.count <= fault.count)
    }

    /// For each rule, the number of steps of the smallest program that distinguishes a library that breaks the rule
    /// from a library that keeps it.
    static let least: [BrokenRule: Int] = [
      .upstreamIsIgnored: 3, .shieldLeaks: 3, .firstConsumerDecides: 4, .leavingIsGivingUp: 4, .adopterIsBelow: 5,
      .rejectionObserverCounts: 4, .adoptedIsLeft: 4, .recoverRunsAfterCancel: 3, .lateFollowLeaves: 4,
      .wayUpStopsEarly: 4, .observersStay: 4, .handlerIsNotCounted: 3, .sourceIsNotCounted: 4, .shieldWaits: 4,
      .cleanupIsGivenUp: 5, .cleanupBeginsAtOnce: 5, .cleanupIsNotCounted: 5, .cleanupErrorIsLost: 3,
      .cleanupErrorReplacesErrors: 2, .hookIsNotCounted: 2, .lateHookIsCounted: 4, .endHookNeedsCancel: 2,
      .lateSettlementCounts: 4, .ringsThroughFinishesAreMissed: 3, .hooksWaitForThemselves: 2,
      .failureObserversStay: 4, .rethrownMarkIsLost: 4, .waiterDoesNotWait: 4, .waiterWaitsForOthers: 3,
      .returnedPromiseIsNotCounted: 5, .unfinishedNamesNothing: 3,
      .keptReturnGoesOn: 4, .keptReturnLosesReason: 4, .waiterGivesUpLate: 3,
    ]

    @Test(
      "A rule that the library does not keep is detected within a thousand programs", arguments: BrokenRule.allCases)
    func brokenRule(_ rule: BrokenRule) throws {
      let failure = try #require(Campaign(seeds: 1_000..<2_000, brokenRule: rule).run().failure)
      print("\(rule): \(failure)")
      let least = try #require(Self.least[rule])
      // The shrinker may stop at another program that cannot be made smaller step by step.
      #expect(failure.program.count <= least + 4)
    }

    @Test("The programs contain each combinator of several promises")
    func combinators() throws {
      let lines = try Listing("PromiseCombinators").lines.filter { $0.contains("Inputs.Element == Promise<") }
      let listed = Set(lines.compactMap(Listing.name).map { $0.dropFirst("Promise.".count).prefix(while: \.isLetter) })
      var contained: Set<Substring> = []
      for seed in 0..<UInt64(300) {
        for case .combine(let combinator, _) in Generator.program(seed) {
          contained.insert("\(combinator)".prefix(while: \.isLetter))
        }
      }
      #expect(listed.contains("all"))
      #expect(listed.symmetricDifference(contained).isEmpty)
    }

    @Test("The programs contain each link and observer, or one that differs from it only in a way that has other tests")
    func links() {
      let kinds = Set(Kind.allCases.map(\.rawValue))
      let missing = Set(LinkKind.allCases.map { String($0.rawValue.prefix(while: \.isLetter)) }).subtracting(kinds)
      // `catchFailure` is taken back as a `recover` is, and looks at the mark as `onFailed` does. `recoverFailure` and
      // `rescueFailure` look at it in the same way. `markCancelled` settles as a `mapError` that throws
      // `CancellationError`, except for the error. `tapThen` is a `then` that keeps the value of its source.
      // The handler of `catchThen` is kept and adopts as the second one of `then(fulfilled:rejected:)`.
      #expect(missing == ["catchFailure", "catchThen", "markCancelled", "recoverFailure", "rescueFailure", "tapThen"])
    }

    @Test("A seed reproduces the same program and the same failure")
    func replay() {
      for seed in 0..<UInt64(100) { #expect(Generator.program(seed) == Generator.program(seed)) }
      #expect(Set((0..<UInt64(100)).map { "\(Generator.program($0))" }).count == 100)
      let first = Campaign(seeds: 0..<1_000, fault: Self.faults[0].instead).run().failure
      let again = first.flatMap { Campaign(seeds: $0.seed..<$0.seed + 1, fault: Self.faults[0].instead).run().failure }
      #expect(first != nil)
      #expect(first?.program == again?.program)
      #expect(first?.difference == again?.difference)
    }

    @Test("The shrinker keeps the steps that the failure needs, renumbers promises and simplifies the rest")
    func shrinks() {
      let program: [Step] = [
        .make, .make, .shield(1),
        .link(2, .compactMap, on: 2, .first(.cancel(0, .cancellation, upstream: true), .fails(.test(7)))), .run(1),
        .link(3, .thenBoth, on: 1, .adopts(2)), .observe(4, .onRejected, on: 2), .settle(1, .failure(.test(3))),
        .drop(2), .cancel(4, .test(9)), .hook(0),
      ]
      // A program fails if it cancels a promise that a link has derived.
      let least = Shrinker.minimum(of: program) { program in
        program.contains { step in
          guard case .cancel(let promise, _, _) = step else { return false }
          let makers = program.filter(\.makesPromise)
          if case .link = makers[promise] { return true }
          return false
        }
      }
      #expect(least == [.make, .link(0, .map, on: 0, .gives(1)), .cancel(1, .cancellation)])
    }

    /// A step that derives from a dropped promise makes no promise. Later promises would then have other numbers than
    /// the program says, and the machine would trap.
    @Test("The shrinker offers no program that makes a promise from a dropped promise", arguments: [0, 1])
    func shrinksToWhatIsHeld(_ lane: Int) {
      let program: [Step] = [.make, .make, .drop(0), .shield(1), .drop(2)]
      var offered: [[Step]] = []
      // Promise 0 would be the simplest source of the shield, but it is dropped.
      _ = Shrinker.minimum(of: program.map { Shrinker.Line(step: $0, lane: lane) }) { lines in
        let steps = lines.map(\.step)
        offered.append(steps)
        let drops = steps.count { if case .drop = $0 { true } else { false } }
        return drops == 2 && steps.contains { if case .shield = $0 { true } else { false } }
      }
      #expect(!offered.isEmpty)
      for steps in offered {
        let machine = Machine()
        for (index, step) in steps.enumerated() {
          _ = machine.perform(step)
          #expect(machine.promises.count == steps[...index].count(where: \.makesPromise), "\(steps)")
          if machine.promises.count != steps[...index].count(where: \.makesPromise) { break }
        }
        _ = machine.finish()
      }
    }

    @Test("The shrinker offers no program in which a thread drops a promise that it has not made")
    func shrinksToOwnDrops() {
      let program = ConcurrentProgram(
        prefix: [.make, .make], threads: [[.make, .drop(2), .make, .dropOwner(3)], [.link(1, .map, on: 0, .gives(1))]])
      var offered: [ConcurrentProgram] = []
      _ = ConcurrentProgram.minimum(of: program) { candidate in
        offered.append(candidate)
        return !candidate.prefix.isEmpty && candidate.threads[0].contains { !$0.makesPromise }
      }
      #expect(!offered.isEmpty)
      for candidate in offered {
        let first = candidate.prefix.count(where: \.makesPromise)
        for step in candidate.threads[0] {
          switch step {
          case .drop(let promise), .dropOwner(let promise): #expect(promise >= first, "\(candidate)")
          default: break
          }
        }
      }
    }

    @Test("A printed program can be pasted as source code")
    func printed() {
      let program: [Step] = [
        .make, .start(.body, on: 1, .first(.settle(0, .value(1)), .adopts(0))), .cancel(1, .test(2), upstream: true),
        .drop(0),
      ]
      let behaviour = ".init(first: Optional(.settle(0, .value(1))), result: .adopts(0))"
      #expect(
        source(program)
          == "[.make, .start(.body, on: 1, \(behaviour)), .cancel(1, .test(2), upstream: true), .drop(0)]")
    }
  }
}
