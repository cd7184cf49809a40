import Dispatch
import Foundation

extension ThreadJobQueue {
  /// The queue of the calling thread, which is made on first use. The thread retains it, and calls ``end()`` when it
  /// ends.
  static var current: ThreadJobQueue { ofCallingThread ?? make(named: nil) }

  private static func make(named name: String?) -> ThreadJobQueue {
    let queue = ThreadJobQueue(named: name)
    let status = unsafe pthread_setspecific(key, Unmanaged.passRetained(queue).toOpaque())
    precondition(status == 0, "no memory for a thread-specific value: pthread_setspecific failed with \(status)")
    return queue
  }

  var isOfCallingThread: Bool { Self.ofCallingThread === self }

  private static var ofCallingThread: ThreadJobQueue? {
    unsafe pthread_getspecific(key).map { unsafe Unmanaged<ThreadJobQueue>.fromOpaque($0).takeUnretainedValue() }
  }

  /// The key of the thread-specific value. `Thread.threadDictionary` is not used, because it lives as long as any code
  /// retains the `Thread`.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = unsafe pthread_key_create(&key) {
      // Optional on some systems only.
      let address: UnsafeMutableRawPointer? = unsafe $0
      // Safe, because the value is a retained queue, and the system calls this once for it, when the thread ends.
      if let address = unsafe address { unsafe Unmanaged<ThreadJobQueue>.fromOpaque(address).takeRetainedValue().end() }
    }
    precondition(status == 0, "no more thread-specific keys: pthread_key_create failed with \(status)")
    return key
  }()

  /// Starts a thread that runs its run loop as long as it has contexts.
  ///
  /// - Returns: the queue of the new thread, which counts one context. The caller makes that context.
  static func onThread(named name: String, qualityOfService: QualityOfService, stackSize: Int?) -> ThreadJobQueue {
    let isStarted = DispatchSemaphore(value: 0)
    let hasQueue = DispatchSemaphore(value: 0)
    // Safe, because the new thread writes before it signals, and this thread reads after the signal.
    nonisolated(unsafe) var queue: ThreadJobQueue?
    let thread = Thread {
      // The thread names itself, after `start` has returned. Otherwise another thread may get the name on Linux.
      isStarted.wait()
      Thread.current.name = name
      let current = make(named: name)
      current.addContext()
      unsafe queue = current
      hasQueue.signal()
      RunLoop.current.run()
    }
    thread.qualityOfService = qualityOfService
    if let stackSize { thread.stackSize = stackSize }
    thread.start()
    isStarted.signal()
    hasQueue.wait()
    guard let queue = unsafe queue else { preconditionFailure("the thread signals after it has set the queue") }
    return queue
  }
}
