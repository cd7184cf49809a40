import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Wakes the thread that waits for connections. A pipe: that a listening socket wakes when it is shut holds only with Linux.
final class StopSignal: Sendable {
  private let reading: CInt
  private let writing: Mutex<CInt?>

  init() throws(LoopbackServer.Failure) {
    var ends: [CInt] = [0, 0]
    // Safe: the call writes two numbers.
    try check("pipe", unsafe pipe(&ends))
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    reading = ends[0]
    writing = Mutex(ends[1])
  }

  deinit {
    give()
    _ = close(reading)
  }

  /// Once and for all. The end of the pipe is what the other end reads.
  func give() {
    writing.withLock { end in
      if let end { _ = close(end) }
      end = nil
    }
  }

  /// Blocks until there is a connection to accept, or the signal: then false.
  func wait(for socket: Socket) -> Bool {
    var watched = [reading, socket.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    repeat { watched[0].revents = 0 } while poll(&watched, timeout: -1) < 0 && errno == EINTR
    return watched[0].revents == 0
  }

  /// When the system has no descriptors or threads left: others may give some back. The wait ends early with the signal.
  func pause() {
    var watched = [pollfd(fd: reading, events: Int16(POLLIN), revents: 0)]
    _ = poll(&watched, timeout: 10)
  }

  private func poll(_ watched: inout [pollfd], timeout: CInt) -> CInt {
    // Safe: the call reads and writes as many entries as the array has.
    unsafe systemPoll(&watched, nfds_t(watched.count), timeout)
  }
}

// Inside of the class the name means its own function.
private let systemPoll: @Sendable (UnsafeMutablePointer<pollfd>?, nfds_t, CInt) -> CInt = { unsafe poll($0, $1, $2) }
