import Dispatch
import Foundation

extension ThreadLine {
  /// The calling thread's, made if it has none. The thread keeps it, and ends it when it ends.
  static var current: ThreadLine { ofCallingThread ?? make(named: nil) }

  private static func make(named name: String?) -> ThreadLine {
    let line = ThreadLine(named: name)
    let status = unsafe pthread_setspecific(key, Unmanaged.passRetained(line).toOpaque())
    precondition(status == 0, "no memory for a thread-specific value: pthread_setspecific failed with \(status)")
    return line
  }

  var isOfCallingThread: Bool { Self.ofCallingThread === self }

  private static var ofCallingThread: ThreadLine? {
    unsafe pthread_getspecific(key).map { unsafe Unmanaged<ThreadLine>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Not the dictionary that Foundation has for a thread: that lives as long as somebody holds the `Thread`.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = unsafe pthread_key_create(&key) {
      // Optional on some systems only.
      let address: UnsafeMutableRawPointer? = unsafe $0
      // Safe: what was set is a retained line, and this is called once for it, when the thread ends.
      if let address = unsafe address { unsafe Unmanaged<ThreadLine>.fromOpaque(address).takeRetainedValue().end() }
    }
    precondition(status == 0, "no more thread-specific keys: pthread_key_create failed with \(status)")
    return key
  }()

  /// That of a new thread, which runs its loop until there is no context for it. There is one, which is to be made.
  static func onThread(named name: String, qualityOfService: QualityOfService, stackSize: Int?) -> ThreadLine {
    let (isStarted, hasLine) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    // Safe: written by the new thread before it signals, and read here after that.
    nonisolated(unsafe) var line: ThreadLine?
    let thread = Thread {
      // Inside, and not before `start` has returned: else another thread gets the name on Linux.
      isStarted.wait()
      Thread.current.name = name
      let current = make(named: name)
      current.enter()
      unsafe line = current
      hasLine.signal()
      RunLoop.current.run()
    }
    thread.qualityOfService = qualityOfService
    if let stackSize { thread.stackSize = stackSize }
    thread.start()
    isStarted.signal()
    hasLine.wait()
    guard let line = unsafe line else { preconditionFailure("the thread signals after it has set the line") }
    return line
  }
}
