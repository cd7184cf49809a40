#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// How much of a processor's time a thread has had. Only as long as the thread lives.
struct ThreadClock: Sendable {
  #if canImport(Darwin)
    private let thread: mach_port_t

    /// The clock of the calling thread.
    static var current: ThreadClock { ThreadClock(thread: pthread_mach_thread_np(pthread_self())) }

    /// Nanoseconds; `nil` where the system does not tell.
    var time: UInt64? {
      var info = thread_basic_info()
      let size = MemoryLayout<thread_basic_info>.size / MemoryLayout<integer_t>.size
      var count = mach_msg_type_number_t(size)
      let status = unsafe withUnsafeMutablePointer(to: &info) {
        unsafe $0.withMemoryRebound(to: integer_t.self, capacity: size) {
          unsafe thread_info(thread, thread_flavor_t(THREAD_BASIC_INFO), $0, &count)
        }
      }
      guard status == KERN_SUCCESS else { return nil }
      return Self.nanoseconds(info.user_time) + Self.nanoseconds(info.system_time)
    }

    private static func nanoseconds(_ time: time_value_t) -> UInt64 {
      UInt64(time.seconds) * 1_000_000_000 + UInt64(time.microseconds) * 1_000
    }
  #else
    private let clock: clockid_t?

    /// The clock of the calling thread.
    static var current: ThreadClock {
      var clock = clockid_t()
      return ThreadClock(clock: unsafe pthread_getcpuclockid(pthread_self(), &clock) == 0 ? clock : nil)
    }

    /// Nanoseconds; `nil` where the system does not tell.
    var time: UInt64? {
      var time = timespec()
      guard let clock, unsafe clock_gettime(clock, &time) == 0 else { return nil }
      return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
  #endif
}
