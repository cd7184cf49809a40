/// Why a run could not measure.
enum BenchError: Error, CustomStringConvertible {
  /// The command line makes no sense.
  case usage(String)
  /// A round did not do all that it was meant to do, so that its time means nothing.
  case wrongResult(String)
  /// What a run needs is not where it should be.
  case notBuilt(String)
  /// Timings of a debug build mean nothing.
  case debugBuild

  var description: String {
    switch self {
    case .usage(let what): what
    case .wrongResult(let what): "wrong result: \(what)"
    case .notBuilt(let path):
      "there is no \(path): run `swift build -c release` in Benchmarks first, as `make bench` does"
    case .debugBuild: "this is a debug build; run it with `-c release`"
    }
  }
}
