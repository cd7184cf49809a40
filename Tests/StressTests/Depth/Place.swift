import Dispatch
import Foundation
import TestSupport

/// On whose stack something deep is done. What recurses for each link overflows all of them. (On Linux the main queue may be
/// served by a worker.)
enum Place: CaseIterable, Sendable {
  case main, worker, smallStack

  #if DEBUG
    /// Where what takes long is done: the stack that overflows first, and one of the usual size.
    static let some: [Place] = [.worker, .smallStack]
  #else
    static let some = allCases
  #endif

  /// Runs the body there, and returns when it has ended.
  func run(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      let work: @Sendable () -> Void = {
        body()
        continuation.resume()
      }
      switch self {
      case .main: DispatchQueue.main.async(execute: work)
      case .worker: DispatchQueue.global().async(execute: work)
      case .smallStack:
        let thread = Thread(block: work)
        thread.stackSize = 256 << 10
        thread.start()
      }
    }
  }
}

/// The memory that the process has in use, after the allocator gave back what it could. 0 under ThreadSanitizer, whose own
/// memory would count. Under AddressSanitizer what is allocated and not freed: there the process grows by much that is the
/// sanitizer's, even when Dispatch alone is at work.
func residentBytes(trimming: Bool = true) -> Int {
  typealias Trim = @convention(c) (Int) -> CInt
  typealias Allocated = @convention(c) () -> Int
  if unsafe dlsym(nil, "__tsan_init") != nil { return 0 }
  if let allocated = unsafe dlsym(nil, "__sanitizer_get_current_allocated_bytes") {
    return unsafe unsafeBitCast(allocated, to: Allocated.self)()
  }
  if trimming, let trim = unsafe dlsym(nil, "malloc_trim") { _ = unsafe unsafeBitCast(trim, to: Trim.self)(0) }
  guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
  return (Int(text.split(separator: " ")[1]) ?? 0) * 4_096
}

/// How many links are deep.
#if DEBUG
  let deep = 100_000
#else
  let deep = 1_000_000
#endif

extension DispatchQueue {
  /// A queue for deep chains. They leave it as they came: one block at a time.
  static var forChains: DispatchQueue { DispatchQueue(label: "chains") }
}
