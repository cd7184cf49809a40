// bench-nio [ROUNDS [TRIPS]]
//
// Compares `map(on: .eventLoop(loop))` with `EventLoopFuture.map` on the same loop, in rounds that alternate, and
// prints a table. A trip makes a promise or a future with one to three links, and waits for the last link.

import Dispatch
import NIOCore
import NIOPosix
import PromiseContexts
import PromiseNIO
import Synchronization

@main enum BenchNIO {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst().map { Int($0) ?? 0 }
    let (rounds, trips) = (arguments.first ?? 201, arguments.dropFirst().first ?? 1_000)
    precondition(rounds > 0 && trips > 0, "usage: bench-nio [ROUNDS [TRIPS]]")
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let bench = Bench(loop: group.next())
    print("| workload | chain is made on | promise, ns | future, ns | ratio |")
    print("|---|---|--:|--:|--:|")
    for place in Place.allCases {
      for workload in Workload.all {
        // The first round of each subject is not counted.
        var (promises, futures) = ([Double](), [Double]())
        for round in 0...rounds {
          let promise = bench.measure(workload, by: .promise, from: place, trips)
          let future = bench.measure(workload, by: .future, from: place, trips)
          if round > 0 { (promises, futures) = (promises + [promise], futures + [future]) }
        }
        let ratio = Spread(zip(promises, futures).map { 100 * $0 / $1 })
        print(
          "| \(workload.name) | \(place.rawValue) | \(Spread(promises)) | \(Spread(futures)) |",
          "\(Double(ratio.median) / 100) |")
      }
    }
    try? group.syncShutdownGracefully()
  }
}

/// A chain of links, which are attached to a settled or to a pending source.
struct Workload {
  var links: Int
  var isPending: Bool

  static let all = [false, true].flatMap { isPending in (1...3).map { Workload(links: $0, isPending: isPending) } }

  var name: String { "W\(links)\(isPending ? "p" : "")" }
}

enum Subject { case promise, future }

/// The thread that makes a chain.
enum Place: String, CaseIterable {
  case thread = "another thread"
  case loop = "the loop"
}

/// The median, the minimum and the maximum of some numbers.
struct Spread: CustomStringConvertible {
  let median, minimum, maximum: Int

  init(_ rounds: [Double]) {
    let sorted = rounds.sorted().map { Int($0.rounded()) }
    (median, minimum, maximum) = (sorted[sorted.count / 2], sorted[0], sorted[sorted.count - 1])
  }

  var description: String { "\(median) (\(minimum)–\(maximum))" }
}

final class Bench: Sendable {
  private let loop: any EventLoop
  private let context: EventLoopContext
  private let done = DispatchSemaphore(value: 0)
  /// The number of handlers that have run, to show that none was left out.
  private let handled = Atomic(0)

  init(loop: any EventLoop) {
    self.loop = loop
    context = .eventLoop(loop)
  }

  /// Runs the trips one after the other, and returns the time of one in nanoseconds.
  func measure(_ workload: Workload, by subject: Subject, from place: Place, _ trips: Int) -> Double {
    handled.store(0, ordering: .relaxed)
    let elapsed = ContinuousClock().measure {
      switch place {
      case .thread:
        for _ in 0..<trips {
          start(workload, by: subject) { [done] in done.signal() }
          done.wait()
        }
      case .loop:
        loop.execute { self.repeatOnLoop(workload, by: subject, trips) }
        done.wait()
      }
    }
    // The end of this round must not delay the next one.
    try? loop.submit {}.wait()
    precondition(handled.load(ordering: .relaxed) == trips * workload.links)
    return elapsed / .nanoseconds(1) / Double(trips)
  }

  /// Both subjects begin the next trip in a later turn of the loop.
  private func repeatOnLoop(_ workload: Workload, by subject: Subject, _ trips: Int) {
    if trips == 0 {
      done.signal()
      return
    }
    start(workload, by: subject) { self.loop.execute { self.repeatOnLoop(workload, by: subject, trips - 1) } }
  }

  /// Makes a chain. Its last handler calls the closure.
  private func start(_ workload: Workload, by subject: Subject, end: @escaping @Sendable () -> Void) {
    let count: @Sendable (Int) -> Int = { value in
      self.handled.add(1, ordering: .relaxed)
      return value
    }
    let last: @Sendable (Int) -> Int = { value in
      end()
      return count(value)
    }
    switch subject {
    case .promise:
      let owner = workload.isPending ? Deferred<Int>() : nil
      var promise = owner?.promise ?? .fulfilled(1)
      for _ in 1..<workload.links { promise = promise.map(on: context, count) }
      _ = promise.map(on: context, last)
      owner?.fulfill(1)
    case .future:
      let owner = workload.isPending ? loop.makePromise(of: Int.self) : nil
      var future = owner?.futureResult ?? loop.makeSucceededFuture(1)
      for _ in 1..<workload.links { future = future.map(count) }
      _ = future.map(last)
      owner?.succeed(1)
    }
  }
}
