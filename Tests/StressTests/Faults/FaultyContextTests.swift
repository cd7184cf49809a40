import TestSupport
import Testing

extension Stress {
  @Suite("Faults: contexts that run jobs late, out of order and repeatedly", .leavingNothing)
  struct FaultyContextTests {
    @Test(
      "Jobs that run late, out of order and repeatedly change neither the outcome nor the number of calls",
      .rule("2.1"), arguments: Use.all, 0..<10)
    func disorder(_ use: Use, seed: Int) {
      let context = FaultyContext(seed: seed, drops: false)
      let calls = Locked(0)
      let promise = use.start(on: context) { _ = calls.increment() }
      #expect(promise.isPending)
      context.runUntilIdle()
      #expect(promise.isFulfilled)
      #expect(calls.withLock(\.self) == use.count)
    }

    @Test(
      "Each link is settled once, by its handler or because the context dropped its job", .rule("2.1", "2.4", "6.2"),
      arguments: 0..<20)
    func mixed(seed: Int) {
      let count = 500
      let context = FaultyContext(seed: seed, drops: true)
      let census = Tracked.Census()
      let calls = (0..<count).map { _ in Locked(0) }
      let owners = (0..<count).map { _ in Deferred<Int>() }
      let links = owners.enumerated().map { number, owner in
        owner.promise.map(on: context) { [tracked = Tracked(census), calls] value in
          _ = calls[number].increment()
          return tracked.carrying(value)
        }
      }
      for (number, owner) in owners.enumerated() { owner.fulfill(number) }
      context.runUntilIdle()
      var dropped = 0
      for (number, link) in links.enumerated() {
        let runs = calls[number].withLock(\.self)
        switch link.result {
        case .success(let value)?:
          #expect(value == number)
          #expect(runs == 1)
        case .failure(PromiseError.contextDropped)?:
          #expect(runs == 0)
          dropped += 1
        case let result: Issue.record("link \(number): \(String(describing: result))")
        }
      }
      #expect(dropped == context.dropped)
      #expect(dropped > 0)
      #expect(dropped < count)
      #expect(census.living == 0)
    }
  }
}

/// A context that keeps its jobs until a test runs them, and then runs them in a random order. It runs some jobs twice,
/// and some again after others, and may drop some.
private final class FaultyContext: ExecutionContext {
  private struct State {
    var random: Seeded
    var jobs: [Job] = []
    var dropped = 0
  }

  private let state: Locked<State>
  private let drops: Bool

  init(seed: Int, drops: Bool) {
    state = Locked(State(random: Seeded(UInt64(seed))))
    self.drops = drops
  }

  /// The number of jobs that were dropped.
  var dropped: Int { state.withLock { $0.dropped } }

  func schedule(_ job: consuming Job) {
    let job = job
    state.withLock { $0.jobs.append(job) }
  }

  func runUntilIdle() {
    // Jobs that have run and are run again at the end.
    var repeated: [Job] = []
    while let (job, fate) = next() {
      switch fate {
      case .drop: continue
      case .run: job.run()
      case .runTwice:
        job.run()
        job.run()
      case .runAgainLater:
        job.run()
        repeated.append(job)
      }
    }
    for job in repeated { job.run() }
  }

  private enum Fate: CaseIterable { case run, runTwice, runAgainLater, drop }

  private func next() -> (Job, Fate)? {
    state.withLock { state in
      guard let index = state.jobs.indices.randomElement(using: &state.random) else { return nil }
      let fate = Fate.allCases.filter { $0 != .drop || drops }.randomElement(using: &state.random) ?? .run
      if fate == .drop { state.dropped += 1 }
      return (state.jobs.remove(at: index), fate)
    }
  }
}
