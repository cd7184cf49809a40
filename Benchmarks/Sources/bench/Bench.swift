import Dispatch
import Foundation

/// Measures the workloads and gauges, prints a report and writes its files. The exit status is 0 even if goals are
/// missed, 1 if a measurement fails, and 2 if the command line is invalid.
@main
struct Bench {
  // Not `async`, because the main thread blocks as the producer of all workloads.
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
      // Dispatch sizes its pool at its first use by the cores that it may use. This first use allows all cores.
      DispatchQueue.global().sync {}
      let machine = Machine.here
      let runner = Runner(
        mode: options.mode, rounds: options.rounds, processes: options.processes, share: options.share,
        progress: Progress())
      if let base = options.base { return print(Table(try runner.compare(options.workloads, with: base)).text) }
      let (outcomes, figures) = try runner.run(options.workloads, options.gauges)
      let report = Report(machine: machine, mode: options.mode, outcomes: outcomes, figures: figures)
      print(report.text)
      try report.write(to: options.output)
      print("written: results.json, report.md and chart.svg in \(options.output.path(percentEncoded: false))")
    #endif
  }
}
