import CLoad
import Foundation
import PromiseCombinators
import PromiseProcesses
import PromiseWaiting

/// Stops the whole process, or one thread.
enum StopFault {
  /// Stops the process for a second, again and again. A program continues it.
  static func stopProcess(during run: LoadRun, seconds: Double) throws -> [String] {
    var complaints: [String] = []
    run.wait(seconds: seconds, interval: 3) {
      let script = "until grep -q '^State:.T' /proc/$PPID/status; do :; done; sleep 1; kill -CONT $PPID"
      let continuing = Command("/bin/sh", ["-c", script]).start(timers: run.surroundings.timers)
      guard (try? continuing.processIdentifier.waitForValue(within: .seconds(20))) != nil else {
        return complaints.append("the program that continues the process does not start")
      }
      kill(getpid(), SIGSTOP)
      if (try? continuing.result.waitForValue(within: .seconds(20))) == nil {
        complaints.append("the program that continues the process does not end")
      }
    }
    return complaints
  }

  /// Blocks a handler of the pool for the whole time. Each load must still end half as many operations as it does at
  /// least without the fault.
  static func blockHandler(during run: LoadRun, seconds: Double) throws -> [String] {
    let end = DispatchSemaphore(value: 0)
    let blocked = Promise.run { end.wait() }
    run.wait(seconds: 1, interval: 1)
    let before = run.loads.map { $0.tally.counts.ended }
    run.wait(seconds: seconds - 1, interval: seconds - 1)
    var complaints: [String] = []
    for (load, ended) in zip(run.loads, before) {
      let expected = load.leastRate * (seconds - 1) / 2
      let count = load.tally.counts.ended - ended
      if expected <= 0 { complaints.append("\(load.name): nothing is expected of it") }
      if Double(count) < expected {
        complaints.append("\(load.name): only \(count) operations ended while a handler blocked a thread")
      }
    }
    if !blocked.isPending { complaints.append("the blocked handler has returned") }
    end.signal()
    try blocked.waitForValue(within: .seconds(20))
    return complaints
  }

  /// Stops one thread after another for half a second, wherever it is, even inside a lock.
  static func stopThreads(during run: LoadRun, seconds: Double) -> [String] {
    var count = 0
    run.wait(seconds: seconds, interval: 0.25) {
      let threads = ProcessFigures.threadNumbers.filter { $0 != getpid() }
      if let thread = threads.randomElement(), stop_thread(thread) == 0 { count += 1 }
    }
    print("\(count) times a thread was stopped")
    return count == 0 ? ["no thread was stopped"] : []
  }
}
