import Dispatch
import Foundation

/// Measures, prints, writes. Exits 0 whether goals are met or not, 1 if it could not measure, 2 if it was called
/// wrongly.
@main
struct Bench {
  // Not `async`: the main thread is the producer of all workloads, and it blocks.
  static func main() {
    do {
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      if options.wantsHelp { return print(Options.help) }
      try measure(options)
    } catch {
      FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
      if case BenchError.usage = error { exit(2) }
      exit(1)
    }
  }

  private static func measure(_ options: Options) throws {
    #if DEBUG
      throw BenchError.debugBuild
    #else
      Pinning.prepare()
      // Dispatch sizes its pool by the cores that it may use at its first use: let that be all of them.
      DispatchQueue.global().sync {}
      let machine = Machine.here
      let (outcomes, figures) = try Runner(mode: options.mode, rounds: options.rounds, progress: Progress()).run(
        options.workloads, options.gauges)
      let report = Report(machine: machine, mode: options.mode, outcomes: outcomes, figures: figures)
      print(report.text)
      try report.write(to: options.output)
      print("written: results.json, report.md and chart.svg in \(options.output.path())")
    #endif
  }
}
