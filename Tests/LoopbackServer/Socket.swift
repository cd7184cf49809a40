#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A stream socket on the loopback, with blocking calls. One thread reads, writes and closes it; any may ``shut()`` it.
package final class Socket: Sendable {
  private struct State {
    var isClosed = false
    var isShut = false
  }

  let descriptor: CInt
  /// Held by `shut` and `close`: the number of a closed descriptor may be another file's at once.
  private let state = Guarded(State())

  /// Takes the descriptor over; it is closed with the socket.
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
    // Safe: the call copies as many bytes as the value has. It fails only for options that the system does not know.
    _ = unsafe withUnsafeBytes(of: value) { bytes in
      unsafe setsockopt(descriptor, level, option, bytes.baseAddress, socklen_t(bytes.count))
    }
  }

  /// What has arrived; none when the other side has closed its end, or the socket is shut. Blocks until then.
  package func receive(into buffer: inout [UInt8]) throws(LoopbackServer.Failure) -> ArraySlice<UInt8> {
    // Data that arrive at a shut socket can be read, with Linux. Nobody wants them.
    while !isShut {
      // Safe: no more than the buffer's size is written to it.
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
      if count > 0 { return buffer[..<count] }
      if count == 0 { break }
      if errno != EINTR { throw LoopbackServer.Failure(call: "recv", code: errno) }
    }
    return []
  }

  /// Whether all bytes were handed to the system. Blocks while the other side does not read.
  @discardableResult
  package func send(_ bytes: [UInt8]) -> Bool {
    // Safe: no more than the array's bytes are read.
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

  /// Says that nothing more will be written.
  package func endWriting() { _ = shutdown(descriptor, CInt(SHUT_WR)) }

  /// Makes calls that block return, and all later ones. From any thread.
  package func shut() {
    state.withLock { state in
      state.isShut = true
      if !state.isClosed { _ = shutdown(descriptor, CInt(SHUT_RDWR)) }
    }
  }

  package var isShut: Bool { state.withLock { $0.isShut } }

  /// `abruptly`: the other side gets a reset, and what it has not read is lost.
  package func close(abruptly: Bool = false) {
    state.withLock { state in
      if state.isClosed { return }
      state.isClosed = true
      if abruptly { set(SOL_SOCKET, SO_LINGER, to: linger(l_onoff: 1, l_linger: 0)) }
      // Not again after EINTR: the descriptor is free then, and perhaps another's.
      _ = systemClose(descriptor)
    }
  }
}

#if canImport(Darwin)
  private let withoutSignal: CInt = 0
#else
  private let withoutSignal = CInt(MSG_NOSIGNAL)
#endif

// Inside of the class their names mean its own functions.
private let systemClose: @Sendable (CInt) -> CInt = { close($0) }
private let systemSend: @Sendable (CInt, UnsafeRawPointer?, Int, CInt) -> Int = { unsafe send($0, $1, $2, $3) }

/// The result of a call of the system, or what it failed with.
@discardableResult
func check(_ call: String, _ result: CInt) throws(LoopbackServer.Failure) -> CInt {
  guard result >= 0 else { throw LoopbackServer.Failure(call: call, code: errno) }
  return result
}
