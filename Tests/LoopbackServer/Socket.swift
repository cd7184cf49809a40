#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A stream socket on the loopback interface, with blocking calls. One thread reads, writes and closes it. Any thread
/// may call ``shut()``.
package final class Socket: Sendable {
  private struct State {
    var isClosed = false
    var isShut = false
  }

  let descriptor: CInt
  /// `shut` and `close` hold this lock, because the number of a closed descriptor may belong to another file at once.
  private let state = Guarded(State())

  /// Takes over the descriptor, and closes it when the socket is deallocated.
  init(descriptor: CInt) {
    self.descriptor = descriptor
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    set(CInt(IPPROTO_TCP), TCP_NODELAY, to: CInt(1))
    #if canImport(Darwin)
      set(SOL_SOCKET, SO_NOSIGPIPE, to: CInt(1))
    #endif
  }

  convenience init() throws(LoopbackServer.Failure) {
    #if canImport(Glibc)
      let stream = CInt(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    self.init(descriptor: try check("socket", socket(AF_INET, stream, 0)))
  }

  deinit { close() }

  package func set<Value: BitwiseCopyable>(_ level: CInt, _ option: CInt, to value: Value) {
    // Safe, because the call copies as many bytes as the value has. It fails only for options that the system does not
    // know.
    _ = unsafe withUnsafeBytes(of: value) { bytes in
      unsafe setsockopt(descriptor, level, option, bytes.baseAddress, socklen_t(bytes.count))
    }
  }

  /// Blocks until data arrive, and returns them. Returns no bytes if the other side has closed its end or the socket is
  /// shut.
  package func receive(into buffer: inout [UInt8]) throws(LoopbackServer.Failure) -> ArraySlice<UInt8> {
    // On Linux, data that arrive at a shut socket can be read. They are not needed.
    while !isShut {
      // Safe, because the call writes no more bytes than the buffer has.
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
      if count > 0 { return buffer[..<count] }
      if count == 0 { break }
      if errno != EINTR { throw LoopbackServer.Failure(call: "recv", code: errno) }
    }
    return []
  }

  /// Sends the bytes, and returns whether the system has accepted all of them. Blocks while the other side does not
  /// read.
  @discardableResult
  package func send(_ bytes: [UInt8]) -> Bool {
    // Safe, because the call reads no more bytes than the array has.
    unsafe bytes.withUnsafeBytes { all in
      var rest = unsafe all[...]
      while unsafe !rest.isEmpty {
        let part = unsafe UnsafeRawBufferPointer(rebasing: rest)
        let count = unsafe systemSend(descriptor, part.baseAddress, part.count, withoutSignal)
        if count >= 0 { unsafe rest = rest.dropFirst(count) } else if errno != EINTR { return false }
      }
      return true
    }
  }

  /// Closes the sending side of the connection.
  package func endWriting() { _ = shutdown(descriptor, CInt(SHUT_WR)) }

  /// Ends blocked calls and all later calls. Any thread may call it.
  package func shut() {
    state.withLock { state in
      state.isShut = true
      if !state.isClosed { _ = shutdown(descriptor, CInt(SHUT_RDWR)) }
    }
  }

  package var isShut: Bool { state.withLock { $0.isShut } }

  /// Closes the socket.
  ///
  /// - Parameter abruptly: whether the other side gets a reset and loses the data that it has not read.
  package func close(abruptly: Bool = false) {
    state.withLock { state in
      if state.isClosed { return }
      state.isClosed = true
      if abruptly { set(SOL_SOCKET, SO_LINGER, to: linger(l_onoff: 1, l_linger: 0)) }
      // The call is not repeated after EINTR, because the descriptor is then free and may already belong to another
      // file.
      _ = systemClose(descriptor)
    }
  }
}

#if canImport(Darwin)
  private let withoutSignal: CInt = 0
#else
  private let withoutSignal = CInt(MSG_NOSIGNAL)
#endif

// Inside the class, these names mean its own functions.
private let systemClose: @Sendable (CInt) -> CInt = { close($0) }
private let systemSend: @Sendable (CInt, UnsafeRawPointer?, Int, CInt) -> Int = { unsafe send($0, $1, $2, $3) }

/// Returns the result of a system call, or throws its error.
@discardableResult
func check(_ call: String, _ result: CInt) throws(LoopbackServer.Failure) -> CInt {
  guard result >= 0 else { throw LoopbackServer.Failure(call: call, code: errno) }
  return result
}
