// All calls of the C library are in this file. The library has another name on each system, and a caller must import
// it.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// The number of processors that are online, at least 1.
var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

/// Writes to standard error. Standard output, and so `print`, belongs to the program.
package func writeToStandardError(_ text: String) {
  var text = text
  text.withUTF8 { bytes in
    var count = 0
    while count < bytes.count {
      // Safe, because the address and the count are those of the rest of the bytes.
      let written = unsafe write(STDERR_FILENO, bytes.baseAddress?.advanced(by: count), bytes.count - count)
      if written < 0, errno == EINTR { continue }
      if written <= 0 { return }
      count += written
    }
  }
}

/// Blocks the calling thread for about that time, or until it receives a signal.
func blockThread(milliseconds: Int) { _ = usleep(useconds_t(milliseconds) * 1_000) }

// MARK: - Threads

extension PoolWorker {
  /// Makes the worker, or no worker, the one that runs on the calling thread.
  static func setCurrent(_ worker: PoolWorker?) {
    let address = unsafe worker.map { unsafe UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
    unsafe pthread_setspecific(key, address)
  }

  /// Calls the closure with the worker that runs on the calling thread, if there is one. Counts no reference to it.
  @inline(__always)
  static func withCurrent(_ body: (PoolWorker) -> Void) {
    guard let address = unsafe pthread_getspecific(key) else { return }
    // Safe, because the pointer is set only while `drain` of the worker runs on this thread, and `drain` retains the
    // worker.
    unsafe Unmanaged<PoolWorker>.fromOpaque(address)._withUnsafeGuaranteedRef(body)
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = unsafe pthread_key_create(&key, nil)
    precondition(status == 0, "no more thread-specific keys: pthread_key_create failed with \(status)")
    return key
  }()
}

/// Reads the state and the processor time of a thread that has not ended.
///
/// Each of the calls below is safe. It writes only to the memory that it is given, within its size, and keeps no
/// pointer. For a thread that has ended, it returns an error.
struct PoolThread: Sendable {
  #if canImport(Darwin)
    private let thread: mach_port_t

    /// The calling thread.
    static var current: PoolThread { PoolThread(thread: unsafe pthread_mach_thread_np(pthread_self())) }

    /// The state of the thread at this moment.
    var state: ThreadState { info.map { $0.run_state == TH_STATE_RUNNING ? .runnable : .asleep } ?? .unknown }

    /// The processor time that the thread has used, or `nil` if the system does not report it.
    var processorTime: Duration? {
      info.map { info in
        [info.user_time, info.system_time].reduce(.zero) { $0 + .seconds($1.seconds) + .microseconds($1.microseconds) }
      }
    }

    private var info: thread_basic_info? {
      var info = thread_basic_info()
      let size = MemoryLayout<thread_basic_info>.size / MemoryLayout<integer_t>.size
      var count = mach_msg_type_number_t(size)
      let status = unsafe withUnsafeMutablePointer(to: &info) {
        unsafe $0.withMemoryRebound(to: integer_t.self, capacity: size) {
          unsafe thread_info(thread, thread_flavor_t(THREAD_BASIC_INFO), $0, &count)
        }
      }
      return status == KERN_SUCCESS ? info : nil
    }
  #else
    /// The clock that shows the processor time of the thread.
    private let clock: clockid_t?

    /// The calling thread.
    static var current: PoolThread {
      var clock = clockid_t()
      let status = unsafe pthread_getcpuclockid(pthread_self(), &clock)
      return PoolThread(clock: status == 0 ? clock : nil)
    }

    /// The state of the thread at this moment.
    ///
    /// The kernel writes `number (name) state …`. The state of a thread that runs, or could run, is R. The name may
    /// contain any characters, so the last parenthesis ends it.
    var state: ThreadState {
      guard let number else { return .unknown }
      let file = unsafe open("/proc/self/task/\(number)/stat", O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return .unknown }
      defer { close(file) }
      var text = [UInt8](repeating: 0, count: 128)
      let count = unsafe read(file, &text, text.count)
      guard let name = text.prefix(max(0, count)).lastIndex(of: UInt8(ascii: ")")), name + 2 < count else {
        return .unknown
      }
      return text[name + 2] == UInt8(ascii: "R") ? .runnable : .asleep
    }

    /// The number that the kernel gives the thread. The function that returns it needs a feature macro, which Swift
    /// cannot define. But the kernel defines the upper bits of the thread's clock as the complement of the number.
    private var number: Int32? { clock.map { ~($0 >> 3) } }

    /// The processor time that the thread has used, or `nil` if the system does not report it.
    var processorTime: Duration? {
      var time = timespec()
      guard let clock, unsafe clock_gettime(clock, &time) == 0 else { return nil }
      return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
  #endif
}
