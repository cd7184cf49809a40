import Foundation
import TestSupport
import Testing

/// The thread on whose stack a deep operation runs. An operation that recurses for each link overflows all of these
/// stacks. On Linux, a worker may serve the main queue.
enum DeepThread: CaseIterable, Sendable {
  case main, worker, smallStack

  #if DEBUG
    /// The places for slow tests. The small stack overflows first, and full runs add a stack of the usual size.
    static let some: [DeepThread] = Effort.of([.smallStack], full: [.worker, .smallStack])
  #else
    static let some: [DeepThread] = Effort.of([.smallStack], full: allCases)
  #endif

  /// The places for faster tests.
  static let most: [DeepThread] = Effort.of([.smallStack], full: allCases)

  /// Runs the body at this place and returns when the body has ended.
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

  /// Expects that the body returns `true` at this place.
  func expect(sourceLocation: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable () -> Bool) async {
    let isRight = Answer<Bool>()
    await run { isRight(body()) }
    #expect(isRight.value == true, "\(self)", sourceLocation: sourceLocation)
  }
}

extension DispatchQueue {
  /// A new serial queue for a deep chain.
  static var forChains: DispatchQueue { DispatchQueue(label: "chains") }
}
