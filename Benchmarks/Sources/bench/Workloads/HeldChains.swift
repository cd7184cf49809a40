import Dispatch
import PromiseContexts

// W12o and W12a: what a chain costs more if the program holds its owner, or all of its promises, while the chain runs.

extension Workload {
  static let w12o = held("W12o", "the owner", .owner, goal: 1.10)
  static let w12a = held("W12a", "the owner and every promise", .everything, goal: 1.40)

  private static func held(_ id: String, _ what: String, _ holding: Holding, goal: Double) -> Workload {
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

/// Runs chains on a serial queue, one after the other: the last handler of each starts the next.
///
/// All of it happens in the queue's thread, so that no wake-up is timed, and so that a chain in which nothing is held has
/// been released by its producer before its first handler runs.
///
/// `@unchecked`: only handlers on the queue use it, one at a time.
final class ChainRelay: @unchecked Sendable {
  private let queue = DispatchQueue(label: "bench.serial", qos: .userInitiated)
  private let done = DispatchSemaphore(value: 0)
  private let holding: Holding
  private var left: Int
  private var chain = Chain()
  /// Its last promise settles after its last handler, so it is held until the next chain has ended.
  private var previous = Chain()

  private init(chains: Int, holding: Holding) {
    left = chains
    self.holding = holding
  }

  /// Nanoseconds per link: to build chains of so many links together, to run them, and to release them. A chain whose last value
  /// is not the number of its links is an error.
  static func measure(_ count: Int, holding: Holding) throws -> Double {
    let relay = ChainRelay(chains: count / Chain.links, holding: holding)
    return try checkingTally(count, of: "chains, \(holding) held") {
      // The chain that ended last is released here too, by the queue, and not timed.
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
