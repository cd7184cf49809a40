import PromiseContexts
import Synchronization

/// A population of pending chains, each of an owner and three links. A part of them is settled and replaced all the
/// time. The duration is that from the settlement of the owner to the last handler of the chain.
final class ChainLoad: Load {
  let name = "chains"
  let tally = Tally()
  let rate: Double

  private struct Chain {
    var number: Int
    var owner: Deferred<Int>?
    var last: Promise<Int>
    var settlement: Settlement
  }

  /// When the owner was settled.
  private final class Settlement: Sendable {
    let time = Mutex<ContinuousClock.Instant?>(nil)
  }

  private struct SampleError: Error {}

  private struct State {
    var chains: [Chain] = []
    /// The chain that is replaced next.
    var next = 0
  }

  static let promisesPerChain = 4
  private let population: Int
  private let state = Mutex(State())

  init(_ surroundings: Surroundings) {
    population = max(1, surroundings.promises / Self.promisesPerChain)
    rate = 2_000 * surroundings.scale
  }

  func start() {
    let chains = (0..<population).map(chain)
    state.withLock { $0.chains = chains }
  }

  func proceed(_ count: Int) {
    for _ in 0..<count {
      let old = state.withLock { state in
        let old = state.chains[state.next]
        state.chains[state.next] = chain(old.number + population)
        state.next = (state.next + 1) % population
        return old
      }
      old.settlement.time.withLock { $0 = .now }
      settle(old)
    }
  }

  /// Makes a chain. Its number decides how it will end.
  private func chain(_ number: Int) -> Chain {
    tally.begin()
    let owner = Deferred<Int>()
    let settlement = Settlement()
    let last = owner.promise.map { $0 + 1 }.then { .fulfilled($0 + 1) }.always { _ in }
    last.onSettled { [tally] result in
      guard let time = settlement.time.withLock({ $0 }) else { return tally.endEarly() }
      tally.end(since: time, failure: failure(of: result, unless: Self.isExpected(result, of: number)))
    }
    return Chain(number: number, owner: owner, last: last, settlement: settlement)
  }

  private func settle(_ chain: consuming Chain) {
    switch chain.number % 5 {
    case 0: chain.owner?.fulfill(chain.number)
    case 1: chain.owner?.reject(SampleError())
    case 2: chain.last.cancel(upstream: true)
    case 3: chain.owner?.promise.cancel()
    default: chain.owner = nil
    }
  }

  private static func isExpected(_ result: Result<Int, any Error>, of number: Int) -> Bool {
    switch (number % 5, result) {
    case (0, .success(let value)): value == number + 2
    case (1, .failure(let error)): error is SampleError
    case (2, _), (3, _): result.isCancelled
    case (4, _): result.isRejected(with: .broken)
    default: false
    }
  }

  func stop() -> Promise<Void> {
    let chains = state.withLock { state in
      defer { state.chains = [] }
      return state.chains
    }
    for chain in chains { chain.last.cancel(upstream: true) }
    return .fulfilled()
  }
}
