import Dispatch

/// Opens once; who waits before that blocks. For order between threads, where a test cannot be single-threaded.
public final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  public init() {}

  public func open() { semaphore.signal() }

  /// Blocks until the gate is open. A gate that stays shut for ten minutes is a hang: the process stops and says so.
  public func wait(_ what: String = "gate", fileID: StaticString = #fileID, line: UInt = #line) {
    guard semaphore.wait(timeout: .now() + .seconds(600)) == .success else {
      fatalError("\(fileID):\(line): hang: nobody opened the \(what) within 600 s")
    }
    semaphore.signal()
  }
}
