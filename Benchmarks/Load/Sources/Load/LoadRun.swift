import Foundation
import PromiseTesting

/// Starts loads, lets them run, stops them, and checks that nothing is left.
final class LoadRun {
  let surroundings: Surroundings
  let loads: [any Load]
  private let pacer: Pacer

  /// - Parameter names: the loads that run. With `nil`, all run.
  init(_ surroundings: Surroundings, only names: Set<String>? = nil) throws {
    self.surroundings = surroundings
    // Only those that run are made, because some have servers.
    let all: [(String, () throws -> any Load)] = [
      ("chains", { ChainLoad(surroundings) }),
      ("timers", { TimerLoad(surroundings) }),
      ("gates", { GateLoad(surroundings) }),
      ("caches", { CacheLoad(surroundings) }),
      ("trees", { CancellationLoad(surroundings) }),
      ("retries", { RetryLoad(surroundings) }),
      ("commands", { CommandLoad(surroundings) }),
      ("requests", { try RequestLoad(surroundings) }),
      ("loops", { EventLoopLoad(surroundings) }),
      ("connections", { try ConnectionLoad(surroundings) }),
    ]
    if let unknown = names?.first(where: { name in !all.contains { $0.0 == name } }) {
      throw UsageError(text: "\(unknown) is no load")
    }
    loads = try all.filter { names?.contains($0.0) ?? true }.map { try $0.1() }
    pacer = Pacer(loads)
  }

  func start() throws { try pacer.start() }

  /// Calls the closure at the end of each interval, on this thread.
  func wait(seconds: Double, interval: Double, _ body: () -> Void = {}) {
    let start = ContinuousClock.now
    var time = 0.0
    while time < seconds {
      time = min(time + interval, seconds)
      Thread.sleep(forTimeInterval: max(0, time - start.duration(to: .now).seconds))
      body()
    }
  }

  /// Stops all loads, and returns complaints about what hangs or is left.
  ///
  /// - Parameter isAllowed: whether operations of a load may have failed in a way.
  func stop(allowing isAllowed: (_ failure: String, _ load: String) -> Bool = { _, _ in false }) -> [String] {
    pacer.stop()
    let ends = loads.map { ($0.name, $0.stop()) }
    var complaints: [String] = []
    for (name, end) in ends {
      do {
        try end.waitForValue(within: .seconds(30))
      } catch {
        complaints.append("\(name) does not end: \(error)")
      }
    }
    for load in loads {
      // The last handlers may still run.
      let isBalanced = eventually { load.tally.counts.begun == load.tally.counts.ended }
      let counts = load.tally.counts
      if !isBalanced { complaints.append("\(load.name): \(counts.begun) begun, \(counts.ended) ended") }
      for (failure, count) in counts.failures where !isAllowed(failure, load.name) {
        complaints.append("\(load.name): \(count) times \(failure)")
      }
      if !eventually({ load.remains.isEmpty }) { complaints += load.remains.map { "\(load.name): \($0)" } }
    }
    if !eventually({ self.surroundings.timers.liveCount == 0 }) {
      complaints.append("\(surroundings.timers.liveCount) timers are left")
    }
    return complaints
  }
}

/// Returns whether a condition becomes true within twenty seconds.
func eventually(_ condition: () -> Bool) -> Bool {
  let start = ContinuousClock.now
  while start.duration(to: .now) < .seconds(20) {
    if condition() { return true }
    Thread.sleep(forTimeInterval: 0.05)
  }
  return condition()
}
