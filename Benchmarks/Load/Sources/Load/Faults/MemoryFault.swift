import CLoad
import Foundation
import LoadServer
import PromiseCombinators
import PromiseHTTP
import PromiseProcesses

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Limits the memory of the process, and asks for outputs and answers that would not fit into it. Each must end with
/// the error of its limit. The process ends if it allocates more than the limit.
enum MemoryFault {
  /// How much more than before the process may have. The stacks of threads count, 8 MB each.
  private static let surplus = 400_000_000
  private static let hugeCount = 4_000_000_000

  static func hold(during run: LoadRun, seconds: Double) throws -> [String] {
    let timers = run.surroundings.timers
    // Foundation on Linux reads ahead without a limit, so the server sends a hundred megabytes in a second.
    let piece = [Piece.bytes([UInt8](repeating: 1, count: 100_000)), .call { Thread.sleep(forTimeInterval: 0.001) }]
    let server = try LoopbackServer(recordsRequests: false) { _ in
      Response(pieces: (0..<40_000).flatMap { _ in piece })
    }
    let now = ProcessFigures.dataBytes
    guard limit_data(now + surplus) == 0 else { throw UsageError(text: "the limit of memory cannot be set") }
    var complaints: [String] = []
    run.wait(seconds: seconds, interval: seconds / 4) {
      let output = Command("/usr/bin/head", ["-c", "\(hugeCount)", "/dev/zero"]).maximumOutputSize(1_000_000)
        .run(timers: timers)
      let answer = URLSession.shared.promise(for: .get(server.address).maximumBodySize(1_000_000))
      for (name, result) in [
        ("output", try? output.asVoid().waitForResult(within: .seconds(20))),
        ("answer", try? answer.asVoid().waitForResult(within: .seconds(20))),
      ] {
        switch result {
        case .failure(CommandError.outputTooLarge): break
        case .failure(let error) where error.localizedDescription.contains("is larger than the limit"): break
        default: complaints.append("a huge \(name) ends with \(String(describing: result).prefix(200))")
        }
      }
    }
    server.stop()
    return complaints
  }
}
