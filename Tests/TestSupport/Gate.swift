import Dispatch

/// A gate that opens once, and until then blocks the threads that wait for it. It orders events in tests that need
/// several threads.
public final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  public init() {}

  public func open() { semaphore.signal() }

  /// Blocks until the gate is open. If the gate stays shut for half an hour, that is a hang (see ``HangLimit``), and the
  /// process stops with a message.
  public func wait(_ what: String = "gate", fileID: StaticString = #fileID, line: UInt = #line) {
    guard semaphore.wait(timeout: .now() + .seconds(HangLimit.seconds)) == .success else {
      fatalError("\(fileID):\(line): hang: nobody opened the \(what) within \(HangLimit.seconds) s")
    }
    semaphore.signal()
  }
}
