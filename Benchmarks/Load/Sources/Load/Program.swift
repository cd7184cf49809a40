import CLoad
import Foundation
import PromiseCombinators
import PromiseTesting

/// Runs all modules of the library for a long time, or under a fault, and fails if anything hangs or is left.
@main enum Program {
  static func main() {
    flush_lines()
    do {
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      let complaints = try run(options)
      for complaint in complaints { print("failed: \(complaint)") }
      exit(complaints.isEmpty ? 0 : 1)
    } catch let error as UsageError {
      print(error.text, Options.usage, separator: "\n")
      exit(2)
    } catch {
      print("failed: \(error)")
      exit(1)
    }
  }

  private static func run(_ options: Options) throws -> [String] {
    Misuse.watch()
    var surroundings = Surroundings()
    surroundings.scale = options.scale
    surroundings.promises = options.promises
    if let fault = options.fault {
      Diagnostics.recordsPendingPromises = true
      try fault.prepare(&surroundings)
    }

    // What is made on first use, and then kept, is made here.
    var complaints = try rehearse(options)
    // A blocking wait on this thread makes its run loop, which has descriptors.
    try Promise.after(.milliseconds(10)).waitForValue(within: .seconds(10))
    let baseline = Baseline()

    let run = try LoadRun(surroundings, only: options.only)
    try run.start()
    if let fault = options.fault {
      complaints += try fault.hold(during: run, seconds: options.seconds)
    } else {
      let sampler = try Sampler(run.loads, file: options.file)
      run.wait(seconds: options.seconds, interval: options.interval) { sampler.sample() }
      sampler.close()
    }
    complaints += run.stop { options.fault?.allows($0, of: $1) ?? false }
    for load in run.loads {
      print("\(load.name): \(load.tally.counts.begun) begun, \(load.tally.counts.ended) ended")
    }
    let requestCount = run.loads.first { $0 is RequestLoad }?.tally.counts.begun ?? 0
    return complaints + Misuse.complaints + baseline.complaints(afterRequests: requestCount)
  }

  /// Runs all loads for two seconds.
  private static func rehearse(_ options: Options) throws -> [String] {
    // The tables of the register of pending promises keep their size.
    let promises = options.fault == nil ? 10_000 : options.promises
    let surroundings = Surroundings(scale: options.scale, promises: promises)
    let rehearsal = try LoadRun(surroundings, only: options.only)
    try rehearsal.start()
    rehearsal.wait(seconds: 2, interval: 2)
    return rehearsal.stop()
  }
}
