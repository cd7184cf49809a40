/// The reasons why a run cannot measure.
enum BenchError: Error, CustomStringConvertible {
  /// The command line is invalid.
  case usage(String)
  /// A round did not do all of its work, so its time is meaningless.
  case wrongResult(String)
  /// A program or folder that a run needs does not exist.
  case notBuilt(String)
  /// A process that was to measure a workload has failed.
  case process(String)
  /// The program is a debug build, whose timings are meaningless.
  case debugBuild

  var description: String {
    switch self {
    case .usage(let what): what
    case .wrongResult(let what): "wrong result: \(what)"
    case .process(let what): "a process failed: \(what)"
    case .notBuilt(let path):
      "there is no \(path): run `swift build -c release` in Benchmarks first, as `make bench` does"
    case .debugBuild: "this is a debug build; run it with `-c release`"
    }
  }
}
