import Dispatch
import PromiseContexts

// W12o and W12a measure the cost of holding the owner of a chain, or all of its promises, while the chain runs.

extension Workload {
  static let w12o = held("W12o", "the owner", .owner, goal: 1.05)
  static let w12a = held("W12a", "the owner and every promise", .everything)

  private static func held(_ id: String, _ what: String, _ holding: Holding, goal: Double? = nil) -> Workload {
    Workload(
      id: id, title: "chains of 8 map(on: serial), one after the other, while the program holds \(what)",
      baseline: "the same chains with nothing held",
      goal: goal, pinning: .oneCore, unit: "link", count: 160_000, quickCount: 16_000,
      subjects: [
        Subject(.baseline) { try ChainRelay.measure($0, holding: .nothing) },
        Subject(.promise) { try ChainRelay.measure($0, holding: holding) },
      ])
  }
}

/// Runs chains on a serial queue, one after the other. The last handler of each chain starts the next.
///
/// All of this happens in the queue's thread, so no wake-up is timed. If nothing is held, the producer has released the
/// chain before its first handler runs.
///
/// `@unchecked`, because only handlers on the queue use it, one at a time.
final class ChainRelay: @unchecked Sendable {
  private let queue = DispatchQueue(label: "bench.serial", qos: .userInitiated)
  private let done = DispatchSemaphore(value: 0)
  private let holding: Holding
  private var left: Int
  private var chain = Chain()
  /// The chain that ran before. Its last promise settles after its last handler, so it is held until the next chain has
  /// ended.
  private var previous = Chain()

  private init(chains: Int, holding: Holding) {
    left = chains
    self.holding = holding
  }

  /// Builds, runs and releases chains that have `count` links together, and returns nanoseconds per link. Throws if the
  /// sum of the values of the last links is not the number of links.
  static func measure(_ count: Int, holding: Holding) throws -> Double {
    let relay = ChainRelay(chains: count / Chain.links, holding: holding)
    return try checkingTally(count, of: "chains, \(holding) held") {
      // The queue also releases the last two chains. This is not timed.
      defer { relay.queue.sync { relay.release() } }
      return Stopwatch.nanoseconds(per: count) {
        relay.queue.async { relay.next() }
        relay.done.wait()
      }
    }
  }

  private func next() {
    guard left > 0 else {
      done.signal()
      return
    }
    left -= 1
    swap(&chain, &previous)
    chain.release()
    chain.start(on: queue, holding: holding) { [self] value in
      _ = counted(value)
      next()
    }
  }

  private func release() {
    chain.release()
    previous.release()
  }
}
