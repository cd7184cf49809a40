import Dispatch
import PromiseCombinators
import PromiseGates
import TestSupport
import TestedCalls
import Testing

extension Stress {
  @Suite("Depth: chains of each operator that waits for one promise")
  struct OperatorChainTests {
    enum Step: Hashable, Sendable {
      case link(LinkKind)
      case other(Operator)

      static let all = LinkKind.links.map(Step.link) + Operator.allCases.map(Step.other)

      /// Returns the promise with another step behind it. A handler passes the outcome on.
      func add(to promise: Promise<Int>, _ place: ChainPlace) -> Promise<Int> {
        switch self {
        case .link(let kind):
          kind.attach(
            to: promise, on: place.context, forValue: { $0 }, forError: { throw $0 }, forOutcome: { _ in })
        case .other(let step): step.add(to: promise, place)
        }
      }

      /// Returns the end of a chain that begins with the owner's promise.
      func chain(from owner: Deferred<Int>, _ count: Int, _ place: ChainPlace) -> Promise<Int> {
        if self == .other(.followers) { return Self.followers(of: owner, count) }
        return (0..<count).reduce(owner.promise) { promise, _ in add(to: promise, place) }
      }

      private static func followers(of owner: Deferred<Int>, _ count: Int) -> Promise<Int> {
        let end = Deferred<Int>()
        var last = end
        for _ in 1..<count {
          let next = Deferred<Int>()
          last.follow(next.promise)
          last = next
        }
        last.follow(owner.promise)
        return end.promise
      }

      var isFollowing: Bool { self == .other(.followed) || self == .other(.followers) }

      /// Whether the step is a link or follows its source, without further objects.
      var isPlain: Bool { isFollowing || [.map, .always, .recover, .then].map(Step.link).contains(self) }

      /// The length of a chain. Chains of steps that are not plain are shorter, because there are many of them.
      /// Recursion would still overflow the small stack, and nonlinear time would still show.
      func count(for ending: Ending) -> Int {
        if !isPlain { return Effort.of(deep / 100, full: deep / 20) }
        return ending.isCancellation ? Effort.of(deep / 5, full: deep) : deep
      }
    }

    enum Operator: CaseIterable, Sendable {
      /// A promise that follows the last one, and a chain of such promises that is built from its end.
      case followed, followers
      case timeout, timeoutOfSource, delay, relay, shielded, asVoid, all, waitingForAll, allSettled, any, race, join,
        reduce, lazy, bound, gate, gateOfItsOwn, rateLimit, after

      func add(to promise: Promise<Int>, _ place: ChainPlace) -> Promise<Int> {
        let context = place.context
        let timers = place.world.clock
        switch self {
        case .followed, .followers: return Promise { $0.follow(promise) }
        case .timeout: return promise.timeout(.seconds(10), timers: timers)
        case .timeoutOfSource: return promise.timeout(.seconds(10), cancelsSource: true, timers: timers)
        case .delay: return promise.delay(.zero, timers: timers)
        case .relay:
          let owner = Deferred<Int>()
          promise.relay(to: owner)
          return owner.promise
        case .shielded: return promise.shielded()
        case .asVoid: return promise.asVoid().map(on: context) { 1 }
        case .all: return Promise.all([promise]).map(on: context) { $0[0] }
        case .waitingForAll: return Promise.all([promise], onRejection: .waitForAll).map(on: context) { $0[0] }
        case .allSettled: return Promise.allSettled([promise]).map(on: context) { try $0[0].get() }
        // Without `mapError`, each error would hold the previous error, and the release of these errors would recurse.
        // The library cannot prevent that.
        case .any: return Promise.any([promise]).mapError(on: context) { _ in TestError(1) }
        case .race: return Promise.race([promise])
        case .join: return Promise.fulfilled(promise).join()
        case .reduce: return promise.reduce([1], on: context) { sum, _ in .fulfilled(sum) }
        case .lazy: return LazyPromise.adopting(on: context) { promise }.promise
        case .bound: return promise.bound(to: place.bag).always(on: context) { _ in }
        case .gate: return place.gate.run(on: context) { promise }
        case .gateOfItsOwn:
          let gate = SerialGate()
          _ = gate.run(on: context) { promise }
          return gate.run(on: context) { promise }
        case .rateLimit: return RateLimit(1, per: .seconds(1), timers: timers).run(on: context) { promise }
        case .after:
          return Promise.after(.zero, fulfill: promise, timers: timers).then(on: context) { $0 }
        }
      }
    }

    /// The way in which a chain ends. In the last case, its end is released.
    enum Ending: CaseIterable, Sendable {
      case fulfilled, rejected, ownerDropped
      case cancelled, cancelledWhenFulfilled, cancelledBelow, givenUp
      case dropped

      static let settlements: [Ending] = [.fulfilled, .rejected, .ownerDropped]
      var isCancellation: Bool { ![.fulfilled, .rejected, .ownerDropped, .dropped].contains(self) }

      func apply(to owner: inout Deferred<Int>?, _ end: inout Promise<Int>?) {
        switch self {
        case .fulfilled: owner?.fulfill(1)
        case .rejected: owner?.reject(TestError(1))
        case .ownerDropped: owner = nil
        case .cancelled: owner?.promise.cancel()
        case .cancelledWhenFulfilled:
          owner?.fulfill(1)
          owner?.promise.cancel()
        case .cancelledBelow: end?.cancel()
        case .givenUp: end?.cancel(upstream: true)
        case .dropped: end = nil
        }
      }

      /// Whether this settlement of the owner has reached the promise.
      func isOutcome(of promise: Promise<Int>) -> Bool {
        switch (self, promise.state) {
        case (.fulfilled, .fulfilled(1)), (.ownerDropped, .rejected(PromiseError.broken)): true
        case (.rejected, .rejected(let error)): error is TestError
        default: false
        }
      }

      /// Returns whether a chain of plain steps has the right state before any handler has run.
      func isRight(for step: Step, top: Promise<Int>?, _ end: Promise<Int>) -> Bool {
        switch self {
        case .fulfilled: isOutcome(of: end) || !step.isFollowing && step != .link(.recover)
        case .rejected, .ownerDropped: isOutcome(of: end) || step == .link(.always) || step == .link(.recover)
        case .cancelled, .givenUp: end.isCancelled && top?.isCancelled == true
        case .cancelledWhenFulfilled: end.isCancelled && top?.isFulfilled == true
        case .cancelledBelow: end.isCancelled && (step.isFollowing || top?.isPending == true)
        case .dropped: true
        }
      }
    }

    @Test(
      "A chain of any operator is built, settled, cancelled, given up and deallocated iteratively",
      .rule("3.3", "4.2", "4.4", "6.1", "6.4"), arguments: Step.all, Ending.allCases)
    func chain(_ step: Step, _ ending: Ending) async {
      // A value passes through the other steps at once, so no pending promise is left to cancel.
      if ending == .cancelledWhenFulfilled, ![.map, .always, .then].map(Step.link).contains(step) { return }
      for thread in step.isPlain ? DeepThread.some : [.smallStack] {
        await thread.expect { Self.isRight(step, ending) }
      }
    }

    private static func isRight(_ step: Step, _ ending: Ending) -> Bool {
      let place = ChainPlace()
      let hooks = Locked(0)
      weak var probe: Promise<Int>?
      var isRight = true
      do {
        var owner: Deferred<Int>? = Deferred<Int>()
        owner?.onCancel(on: .atOnce) { _ in hooks.withLock { $0 += 1 } }
        probe = owner?.promise
        var end = owner.map { step.chain(from: $0, step.count(for: ending), place) }
        place.run()
        ending.apply(to: &owner, &end)
        if step.isPlain, let end {
          isRight = ending.isRight(for: step, top: owner?.promise, end)
          if ending == .cancelled || ending == .givenUp { isRight = isRight && hooks.withLock { $0 } == 1 }
        }
        place.run()
        if let end { isRight = isRight && end.isFulfilled == (ending == .fulfilled) && !end.isPending }
        if let end, step.isPlain, Ending.settlements.contains(ending) {
          isRight = isRight && ending.isOutcome(of: end)
        }
      }
      place.run()
      return isRight && probe == nil
    }

    @Test(
      "A context that drops its jobs breaks a long chain of handlers one by one", .rule("6.4", "6.2"),
      arguments: [Step.link(.always), .link(.map)])
    func dropping(_ step: Step) async {
      for thread in DeepThread.some {
        await thread.expect {
          let owner = Deferred<Int>()
          let end = step.chain(from: owner, deep, ChainPlace(context: DroppingContext()))
          owner.fulfill(1)
          return end.failure?.code == .contextDropped
        }
      }
    }

    @Test(
      "A long chain of handlers settles on a serial queue and on the pool", .rule("3.3"),
      arguments: [LinkKind.map, .always, .then].map(Step.link), Ending.settlements)
    func onQueues(_ step: Step, _ ending: Ending) async {
      let contexts: [any ExecutionContext] = [DispatchQueue.forChains, .pool]
      for context in contexts {
        var owner: Deferred<Int>? = Deferred<Int>()
        var last = owner.map { step.chain(from: $0, Effort.of(deep / 5, full: deep), ChainPlace(context: context)) }
        ending.apply(to: &owner, &last)
        guard let end = last else { return }
        await withCheckedContinuation { continuation in end.onSettled(on: context) { _ in continuation.resume() } }
        #expect(ending.isOutcome(of: end))
      }
    }
  }
}

/// The objects that the steps of a chain share.
final class ChainPlace: Sendable {
  let context: any ExecutionContext
  let world = TestWorld(stepLimit: .max)
  let bag = CancelBag()
  let gate = SerialGate()
  private let trampoline: Trampoline

  /// Creates a place whose handlers run on the context, or in `run()`.
  init(context: (any ExecutionContext)? = nil) {
    let trampoline = Trampoline()
    self.trampoline = trampoline
    self.context = context ?? trampoline
  }

  /// Runs handlers and due timers until none is left.
  func run() {
    repeat { trampoline.run() } while world.advance(by: .zero) > 0
  }
}
