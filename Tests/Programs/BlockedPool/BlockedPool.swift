import Foundation
import PromiseContexts

/// Blocks handlers of the pool until the main thread, or a later handler, releases them.
///
/// - `BlockedPool descriptors` blocks one handler more than there are processors, while the process has no file
///   descriptor left.
/// - `BlockedPool late-descriptors` does the same after the pool was used while descriptors were left.
/// - `BlockedPool limit` blocks one handler more than the pool has threads at most.
@main
enum BlockedPool {
  static func main() {
    switch CommandLine.arguments.dropFirst() {
    case ["descriptors"]: withoutDescriptors()
    case ["late-descriptors"]:
      blockUntilLaterHandlerRuns()
      withoutDescriptors()
    case ["limit"]: beyondLimit()
    default: exit(64)
    }
    print("ran")
  }

  private static func withoutDescriptors() {
    var limit = rlimit(rlim_cur: 64, rlim_max: 64)
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    guard unsafe setrlimit(resource, &limit) == 0 else { exit(1) }
    while unsafe open("/dev/null", O_RDONLY) >= 0 {}
    blockUntilLaterHandlerRuns()
  }

  private static func blockUntilLaterHandlerRuns() {
    let handlers = BlockedHandlers(count: sysconf(Int32(_SC_NPROCESSORS_ONLN)) + 1)
    Promise.run { handlers.release() }.onSettled { _ in }
    handlers.waitUntilAllReturned()
  }

  private static func beyondLimit() {
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0, dup2(ends[1], STDERR_FILENO) == STDERR_FILENO else { exit(1) }
    let handlers = BlockedHandlers(count: 193)
    // Blocks until the pool has written its notice.
    var notice = [UInt8](repeating: 0, count: 4096)
    let count = unsafe read(ends[0], &notice, notice.count)
    print(String(decoding: notice.prefix(max(0, count)), as: UTF8.self), terminator: "")
    handlers.release()
    handlers.waitUntilAllReturned()
  }
}

/// Handlers on the pool that block until they are released.
private struct BlockedHandlers {
  private let gate = DispatchSemaphore(value: 0)
  private let returned = DispatchSemaphore(value: 0)
  private let count: Int

  init(count: Int) {
    self.count = count
    for _ in 0..<count {
      Promise.run { [gate] in
        gate.wait()
        gate.signal()
      }.onSettled { [returned] _ in returned.signal() }
    }
  }

  func release() { gate.signal() }

  func waitUntilAllReturned() {
    for _ in 0..<count { returned.wait() }
  }
}
