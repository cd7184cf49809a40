#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Wakes the thread that waits for connections. It is a pipe, because shutting a listening socket wakes its thread only
/// on Linux.
final class StopSignal: Sendable {
  /// The reading end, which only the waiting thread uses and closes.
  private let reading: CInt
  private let open: Guarded<Set<CInt>>
  private let writing: CInt

  init() throws(LoopbackServer.Failure) {
    var ends: [CInt] = [0, 0]
    // Safe, because the call writes two numbers.
    try check("pipe", unsafe pipe(&ends))
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    reading = ends[0]
    writing = ends[1]
    open = Guarded(Set(ends))
  }

  deinit {
    give()
    forget()
  }

  /// Gives the signal permanently. It closes the writing end, so the reading end reports the end of the pipe.
  func give() { close(writing) }

  /// Closes the reading end, because the waiting thread will not wait again.
  func forget() { close(reading) }

  /// Blocks until there is a connection to accept, and returns true. Returns false after the signal.
  func wait(for socket: Socket) -> Bool {
    var watched = [reading, socket.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    repeat { watched[0].revents = 0 } while poll(&watched, timeout: -1) < 0 && errno == EINTR
    return watched[0].revents == 0
  }

  /// Waits a moment when the system has no descriptors or threads left, so that others may give some back. The signal
  /// ends the wait early.
  func pause() {
    var watched = [pollfd(fd: reading, events: Int16(POLLIN), revents: 0)]
    _ = poll(&watched, timeout: 10)
  }

  private func close(_ end: CInt) { if open.withLock({ $0.remove(end) }) != nil { _ = systemClose(end) } }

  private func poll(_ watched: inout [pollfd], timeout: CInt) -> CInt {
    // Safe, because the call reads and writes as many entries as the array has.
    unsafe systemPoll(&watched, nfds_t(watched.count), timeout)
  }
}

// Inside the class, these names mean its own functions.
private let systemClose: @Sendable (CInt) -> CInt = { close($0) }
private let systemPoll: @Sendable (UnsafeMutablePointer<pollfd>?, nfds_t, CInt) -> CInt = { unsafe poll($0, $1, $2) }
