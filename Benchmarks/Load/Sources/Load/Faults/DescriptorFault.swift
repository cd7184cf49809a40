import Foundation

/// Takes all descriptors but a few for a while, again and again.
enum DescriptorFault {
  private static let limitedTo = rlim_t(64)
  /// How many stay free. Dispatch ends the process if it finds none when it looks at its threads.
  private static let free = [3, 1, 6]

  static func limit() throws {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limitedTo
    guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      throw UsageError(text: "the limit of descriptors: \(String(cString: strerror(errno)))")
    }
  }

  static func hold(during run: LoadRun, seconds: Double) -> [String] {
    var round = 0
    run.wait(seconds: seconds - 4, interval: 1) {
      round += 1
      // Every other second nothing is scarce.
      if round % 2 == 0 { withDescriptors(free: free[round / 2 % free.count]) { Thread.sleep(forTimeInterval: 0.8) } }
    }
    var complaints: [String] = []
    let during = failures(of: run)
    if during == 0 { complaints.append("no operation lacked a descriptor") }
    // An operation that began before may still fail.
    run.wait(seconds: 2, interval: 2)
    let before = failures(of: run)
    run.wait(seconds: 2, interval: 2)
    let after = failures(of: run)
    if after > before { complaints.append("\(after - before) operations failed after descriptors were free again") }
    print("\(during) operations lacked a descriptor")
    return complaints
  }

  private static func failures(of run: LoadRun) -> Int {
    run.loads.reduce(0) { $0 + $1.tally.counts.failures.values.reduce(0, +) }
  }

  private static func withDescriptors(free: Int, _ body: () -> Void) {
    var taken: [Int32] = []
    while case let file = open("/dev/null", O_RDONLY | O_CLOEXEC), file >= 0 { taken.append(file) }
    for file in taken.suffix(free) { close(file) }
    body()
    for file in taken.dropLast(free) { close(file) }
  }
}
