#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension Socket {
  /// Returns a socket that listens at a free port of 127.0.0.1.
  static func listening() throws(LoopbackServer.Failure) -> Socket {
    let socket = try Socket()
    try unsafe check("bind", socket.withAddress(port: 0) { unsafe bind($0, $1, $2) })
    try check("listen", listen(socket.descriptor, SOMAXCONN))
    // If a connection ends before it is accepted, `accept` must not block until the next connection.
    try check("fcntl", fcntl(socket.descriptor, F_SETFL, O_NONBLOCK))
    return socket
  }

  /// Returns the socket of a client that is connected to the port.
  package static func connected(to port: UInt16) throws(LoopbackServer.Failure) -> Socket {
    let socket = try Socket()
    try unsafe check("connect", socket.withAddress(port: port) { unsafe connect($0, $1, $2) })
    return socket
  }

  /// Accepts the next connection, or throws if there is none.
  func accepted() throws(LoopbackServer.Failure) -> Socket {
    let socket = Socket(descriptor: try check("accept", accept(descriptor, nil, nil)))
    // On BSD, the new socket inherits the flags of the listening socket.
    _ = fcntl(socket.descriptor, F_SETFL, 0)
    return socket
  }

  /// Returns the port of the socket.
  func port() throws(LoopbackServer.Failure) -> UInt16 {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    // Safe, because the call writes at most `size` bytes, and `address` has that many.
    let result = unsafe withUnsafeMutableBytes(of: &address) { bytes in
      unsafe getsockname(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
    }
    try check("getsockname", result)
    return UInt16(bigEndian: address.sin_port)
  }

  private func withAddress(port: UInt16, _ call: (CInt, UnsafePointer<sockaddr>?, socklen_t) -> CInt) -> CInt {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    // Safe, because the system accepts an address of its family in place of the general type, and gets its size.
    return unsafe withUnsafeBytes(of: address) { bytes in
      unsafe call(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
  }
}
