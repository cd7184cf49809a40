import Dispatch

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A group of threads that do not belong to Dispatch. A hundred blocked threads must not take the threads of Dispatch
/// from the code that ends the blocking.
final class ThreadGroup: Sendable {
  private let running = DispatchGroup()
  private let members = Guarded<Set<UInt>>([])

  func start(_ body: @escaping @Sendable () -> Void) throws(LoopbackServer.Failure) {
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    // The default stack of Musl is too small for Swift. The threads are detached, because `wait` waits for the group
    // and needs no list of threads.
    unsafe pthread_attr_setstacksize(&attributes, 2 << 20)
    unsafe pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
    #if canImport(Glibc)
      var thread = pthread_t()
    #else
      var thread: pthread_t?
    #endif
    running.enter()
    // Safe, because the new thread takes the reference. If there is no new thread, the lines below release it.
    let work = unsafe Unmanaged.passRetained(Work(group: self, body: body))
    let code = unsafe pthread_create(&thread, &attributes, { unsafe begin($0) }, work.toOpaque())
    if code == 0 { return }
    unsafe work.release()
    running.leave()
    throw LoopbackServer.Failure(call: "pthread_create", code: code)
  }

  /// Blocks until all threads have ended, including the threads that they start. Returns at once on a thread of the
  /// group.
  func wait() {
    if members.withLock({ $0.contains(currentThread) }) { return }
    running.wait()
  }

  fileprivate func run(_ work: Work) {
    let thread = currentThread
    members.withLock { _ = $0.insert(thread) }
    work.runOnce()
    members.withLock { _ = $0.remove(thread) }
    running.leave()
  }
}

private final class Work: Sendable {
  let group: ThreadGroup
  private let body: Guarded<(@Sendable () -> Void)?>

  init(group: ThreadGroup, body: @escaping @Sendable () -> Void) {
    self.group = group
    self.body = Guarded(body)
  }

  /// Runs the body, and releases its captures before the thread counts as ended.
  @inline(never)
  func runOnce() {
    let body = body.withLock { $0.take() }
    body?()
  }
}

private func begin(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let pointer = unsafe pointer else { return nil }
  // Safe, because `start` has retained this reference, and it is taken once.
  let work = unsafe Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue()
  work.group.run(work)
  return nil
}

private var currentThread: UInt {
  #if canImport(Glibc)
    pthread_self()
  #else
    UInt(bitPattern: pthread_self())
  #endif
}
