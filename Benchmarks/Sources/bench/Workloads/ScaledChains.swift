import PromiseContexts
import Synchronization

// W13 shows whether threads with chains of their own run in parallel, or wait for each other inside the library. The
// gain of two threads that only allocate and release objects of the same sizes is printed beside it, for orientation.

extension Workload {
  static let w13n2 = scaled("W13n2", .nothing, threads: 2)
  static let w13o2 = scaled("W13o2", .owner, threads: 2)
  static let w13a2 = scaled("W13a2", .everything, threads: 2)
  static let w13n8 = scaled("W13n8", .nothing, threads: 8)
  static let w13o8 = scaled("W13o8", .owner, threads: 8)
  static let w13a8 = scaled("W13a8", .everything, threads: 8)

  private static func scaled(_ id: String, _ holding: Holding, threads: Int) -> Workload {
    let isPair = threads == 2
    return Workload(
      id: id,
      title: "chains of 8 without Dispatch, \(holding) held, by \(threads) threads: wall time per link of all",
      baseline: "as many links by one thread",
      // The goal of two threads is 1.6 times the rate of one thread, and that of eight threads 1.67 times.
      goal: isPair ? 1 / 1.6 : 0.6, pinning: .allCores, unit: "link", count: 320_000, quickCount: 64_000,
      subjects: [
        Subject(.baseline) { try ScaledChains.measure($0, holding: holding, threads: 1) },
        Subject(.promise) { try ScaledChains.measure($0, holding: holding, threads: threads) },
      ] + (isPair ? [.objectsOfOneThread, .objectsOfTwoThreads] : []))
  }
}

enum ScaledChains {
  /// Returns nanoseconds of wall time per link. Each thread builds, runs and releases its share of the chains, one
  /// after the other, on a context of its own.
  static func measure(_ count: Int, holding: Holding, threads: Int) throws -> Double {
    let share = count / Chain.links / threads
    let sum = Atomic<Int>(0)
    let time = WorkerThreads.nanoseconds(per: count, threads: threads) { _ in
      sum.add(run(share, holding: holding), ordering: .relaxed)
    }
    // Relaxed, because the end of all threads orders the access.
    let found = sum.load(ordering: .relaxed)
    guard found == count else {
      let what = "chains, \(holding) held, by \(threads) threads"
      throw BenchError.wrongResult("\(what): \(found) of \(count) links have run")
    }
    return time
  }

  /// Runs chains, and returns the sum of the values of the last links, which is the number of links.
  static func run(_ chains: Int, holding: Holding) -> Int {
    let loop = LoopContext()
    let sum = Sum()
    var chain = Chain()
    for _ in 0..<chains {
      chain.start(on: loop, holding: holding) { sum.value += $0 }
      loop.run()
      chain.release()
    }
    return sum.value
  }

  /// `@unchecked`, because only one thread uses it.
  private final class Sum: @unchecked Sendable {
    var value = 0
  }
}
