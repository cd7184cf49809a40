import PromiseCombinators
import TestSupport
import Testing

/// An owner settles its promises while it holds a lock that its hooks take. So no hook may run inside the owner's call,
/// whichever operators a client has used.
@Suite("Hooks of owners whose promises an operator gives up", .leavingNothing) struct OperatorHookTests {
  enum Operator: CaseIterable, Sendable {
    case any, race, all, allOfTwo, traverse, follow

    /// Returns a promise that gives `loser` up as soon as `decider` is settled.
    func combine(_ loser: Promise<Int>, _ decider: Promise<Int>) -> AnyPromise {
      switch self {
      case .any: Promise.any([loser, decider], cancelsLosers: true)
      case .race: Promise.race([loser, decider], cancelsLosers: true)
      case .all: Promise.all([loser, decider], onRejection: .cancelRemaining)
      case .allOfTwo: Promise.all(loser, decider, onRejection: .cancelRemaining)
      case .traverse: Promise.traverse([loser, decider], concurrency: 2) { $0 }
      case .follow:
        Promise<Int> { deferred in deferred.follow(Promise.any([loser, decider], cancelsLosers: true)) }
      }
    }

    var needsFailure: Bool { [.all, .allOfTwo, .traverse].contains(self) }
  }

  @Test(
    "An owner's call that settles a promise runs no hook, whichever operator a client has chosen",
    .rule("2.1", "4.5", "4.8"), arguments: Operator.allCases)
  func ownersCall(_ kind: Operator) throws {
    try TestWorld.run { world in
      let loser = Deferred<Int>()
      let decider = Deferred<Int>()
      let hooks = Log<String>()
      loser.onCancel { _ in hooks.append("cancel") }
      loser.onEnd { _ in hooks.append("end") }
      let result = kind.combine(loser.promise, decider.promise)
      world.runUntilIdle()
      if kind.needsFailure { decider.reject(TestError(1)) } else { decider.fulfill(1) }
      #expect(hooks.entries.isEmpty)
      world.runUntilIdle()
      #expect(loser.promise.isCancelled)
      #expect(!result.isPending)
      #expect(hooks.entries == ["cancel", "end"])
      // Reading the errors handles them. Otherwise the world would report them.
      _ = (result as? Promise<[Int]>)?.error
      _ = (result as? Promise<(Int, Int)>)?.error
    }
  }

  @Test("The release of an owner runs no hook of another owner", .rule("2.1", "4.5", "6.2"))
  func ownersRelease() throws {
    try TestWorld.run { world in
      let loser = Deferred<Int>()
      let hooks = Log<String>()
      loser.onCancel { _ in hooks.append("cancel") }
      let result: Promise<[Int]>
      do {
        let dropped = Deferred<Int>()
        result = Promise.all([loser.promise, dropped.promise], onRejection: .cancelRemaining)
      }
      #expect(loser.promise.isCancelled)
      #expect(result.error != nil)
      #expect(hooks.entries.isEmpty)
      world.runUntilIdle()
      #expect(hooks.entries == ["cancel"])
    }
  }

  @Test("The step that starts a lazy promise runs no hook of work that is no longer wanted", .rule("4.5", "4.6"))
  func cancelledStart() throws {
    try TestWorld.run { world in
      let work = Deferred<Int>()
      let hooks = Log<String>()
      work.onCancel { _ in hooks.append("cancel") }
      let started = Locked<LazyPromise<Int>?>(nil)
      let lazy = LazyPromise<Int>.adopting(on: world.main) {
        started.withLock { $0.take() }?.cancel()
        return work.promise
      }
      started.withLock { $0 = lazy }
      let promise = lazy.promise
      while work.promise.isPending { try #require(world.step()) }
      #expect(promise.isCancelled)
      #expect(hooks.entries.isEmpty)
      world.runUntilIdle()
      #expect(hooks.entries == ["cancel"])
    }
  }

  @Test("A timer runs no hook of a promise whose limit expires", .rule("2.1", "4.5", "4.6"), arguments: [false, true])
  func timer(isOwnersLimit: Bool) throws {
    try TestWorld.run { world in
      // The clock of the world runs timers in steps. The hook is a step of its own, so it follows a timer that is due
      // at the same time.
      let work = Deferred<Int>()
      let order = Log<String>()
      work.onCancel { _ in order.append("hook") }
      let limited = isOwnersLimit ? work.promise : work.promise.timeout(.seconds(1))
      if isOwnersLimit { work.timeout(.seconds(1)) }
      world.clock.schedule(after: .seconds(1)) { order.append("timer") }
      world.advance(by: .seconds(1))
      #expect(order.entries == ["timer", "hook"])
      #expect(limited.error != nil)
    }
  }

  @Test("A ring through a combinator is reported once", .rule("7.1", "3.2"))
  func ringThroughCombinator() {
    let reports = reported {
      let context = ManualContext()
      let owner = Deferred<Int>()
      owner.follow(Promise.all([owner.promise]).map(on: context) { $0[0] })
    }
    #expect(reports == [-1])
  }

  @Test("A result that is cancelled after its input was rejected counts as handling the error", .rule("7.1"))
  func cancelledAfterRejection() {
    let reports = reported {
      let owner = Deferred<Int>()
      let result = Locked<Promise<[Int]>?>(nil)
      owner.promise.onRejected(on: CallingContext(DroppingContext()) { result.withLock { $0 }?.cancel() }) { _ in }
      result.withLock { $0 = Promise.all([owner.promise]) }
      owner.reject(TestError(1))
    }
    #expect(reports.isEmpty)
  }
}
