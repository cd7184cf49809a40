import Dispatch
import Foundation
import TestSupport

/// On whose stack something deep is done. What recurses for each link overflows all of them. (On Linux the main queue may be
/// served by a worker.)
enum Place: CaseIterable, Sendable {
  case main, worker, smallStack

  #if DEBUG
    /// Where what takes long is done: on the stack that overflows first, and on one of the usual size if there is time.
    static let some: [Place] = Effort.of([.smallStack], full: [.worker, .smallStack])
  #else
    static let some: [Place] = Effort.of([.smallStack], full: allCases)
  #endif

  /// Where what takes less is done.
  static let most: [Place] = Effort.of([.smallStack], full: allCases)

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

extension DispatchQueue {
  /// A queue for deep chains. They leave it as they came: one block at a time.
  static var forChains: DispatchQueue { DispatchQueue(label: "chains") }
}
