import PromiseCombinators
import TestSupport
import Testing

extension Stress {
  @Suite("Depth: chains of each operator that waits for one promise")
  struct OperatorChainTests {
    enum Step: CaseIterable, Sendable {
      case timeout, timeoutOfSource, delay, relay, shielded, asVoid, all, waitingForAll, allSettled, any, race, join,
        reduce, lazy
      case bound, both, validate, compactMap, mapError, `catch`, rescue, gate
      case gateOfItsOwn, rateLimit, after

      /// Returns the promise with another step behind it.
      func add(to promise: Promise<Int>, _ place: ChainPlace) -> Promise<Int> {
        let (context, timers) = (place.context, place.world.clock)
        switch self {
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
        case .waitingForAll: return Promise.all([promise], onFailure: .waitForAll).map(on: context) { $0[0] }
        case .allSettled: return Promise.allSettled([promise]).map(on: context) { try $0[0].get() }
        // Without `mapError`, each error would hold the previous error, and the release of these errors would recurse.
        // The library cannot prevent that.
        case .any: return Promise.any([promise]).mapError(on: context) { _ in TestError(1) }
        case .race: return Promise.race([promise])
        case .join: return Promise.fulfilled(promise).join()
        case .reduce: return promise.reduce([1], on: context) { sum, _ in .fulfilled(sum) }
        case .lazy: return LazyPromise.adopting(on: context) { promise }.promise
        case .bound: return promise.bound(to: place.bag).always(on: context) { _ in }
        case .both: return promise.map(on: context, fulfilled: { $0 }, rejected: { throw $0 })
        case .validate: return promise.validate(on: context) { _ in true }
        case .compactMap: return promise.compactMap(on: context) { Optional($0) }
        case .mapError: return promise.mapError(on: context) { $0 }
        case .catch: return promise.catch(on: context) { _ in }
        case .rescue: return promise.rescue(on: context) { throw $0 }
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

    enum Ending: CaseIterable, Sendable {
      case fulfilled, rejected, cancelled, cancelledBelow, givenUp, ownerDropped, dropped
    }

    /// The length of a chain. The test runs for each step and each ending, so the chains are shorter than elsewhere.
    /// Recursion would still overflow the small stack, and nonlinear time would still show.
    private static let long = Effort.of(deep / 100, full: deep / 20)

    @Test(
      "A chain of any operator is built, settled, cancelled, given up and deallocated iteratively", .rule("3.3", "6.4"),
      arguments: Step.allCases, Ending.allCases)
    func chain(_ step: Step, _ ending: Ending) async {
      await Place.smallStack.expect { Self.isRight(step, ending) }
    }

    private static func isRight(_ step: Step, _ ending: Ending) -> Bool {
      let place = ChainPlace()
      weak var probe: Promise<Int>?
      var isRight = true
      do {
        var owner: Deferred<Int>? = Deferred<Int>()
        probe = owner?.promise
        var end = owner?.promise
        for _ in 0..<long { end = end.map { step.add(to: $0, place) } }
        place.run()
        switch ending {
        case .fulfilled: owner?.fulfill(1)
        case .rejected: owner?.reject(TestError(1))
        case .cancelled: owner?.promise.cancel()
        case .cancelledBelow: end?.cancel()
        case .givenUp: end?.cancel(upstream: true)
        case .ownerDropped: owner = nil
        case .dropped: end = nil
        }
        place.run()
        if let end { isRight = end.isFulfilled == (ending == .fulfilled) && !end.isPending }
      }
      place.run()
      return isRight && probe == nil
    }
  }
}

/// The objects that the steps of a chain share.
final class ChainPlace: Sendable {
  let context = Trampoline()
  let world = TestWorld(stepLimit: .max)
  let bag = CancelBag()
  let gate = SerialGate()

  /// Runs handlers and due timers until none is left.
  func run() {
    repeat { context.run() } while world.advance(by: .zero) > 0
  }
}
