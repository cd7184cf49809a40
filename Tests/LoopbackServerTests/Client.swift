import Foundation
import LoopbackServer

/// A client that sends exactly the given text, and reads no more than it needs.
final class Client: Sendable {
  private let socket: Socket
  private let server: LoopbackServer?

  /// Connects to the server, and retains it.
  convenience init(_ server: LoopbackServer) throws { try self.init(port: server.port, keeping: server) }

  init(port: UInt16, keeping server: LoopbackServer? = nil) throws {
    socket = try Socket.connected(to: port)
    self.server = server
    // As in `Gate`, a missing answer is a hang, and the process stops with a message.
    socket.set(SOL_SOCKET, SO_RCVTIMEO, to: timeval(tv_sec: 600, tv_usec: 0))
  }

  /// Sends lines, with the line ends of HTTP.
  func send(_ lines: String) { send(bytes: Array(lines.replacing("\n", with: "\r\n").utf8)) }

  func send(bytes: [UInt8]) { socket.send(bytes) }

  /// Returns the next byte, or nil if the server has closed its end. Throws if the server has cut the connection.
  func byte() throws -> UInt8? {
    var buffer: [UInt8] = [0]
    do {
      return try socket.receive(into: &buffer).first
    } catch {
      if error.code == EAGAIN { fatalError("hang: no answer within 600 s") }
      throw error
    }
  }

  /// Returns this many bytes as text, or fewer if the server closes its end before.
  func read(_ count: Int) throws -> String {
    var bytes: [UInt8] = []
    while bytes.count < count, let byte = try byte() { bytes.append(byte) }
    return text(bytes)
  }

  /// Returns everything that arrives until the server closes its end.
  func readAll() throws -> String { try read(.max) }

  /// Returns the head of a response, with its empty line.
  func readHead() throws -> String {
    var bytes: [UInt8] = []
    while !bytes.hasSuffix("\r\n\r\n"), let byte = try byte() { bytes.append(byte) }
    return text(bytes)
  }

  func endWriting() { socket.endWriting() }
  func close() { socket.close() }

  /// Returns the bytes as text, with the line ends of Swift literals.
  private func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
  }
}

extension [UInt8] {
  fileprivate func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}

/// Sends one request on a connection of its own, and returns everything that comes back.
func exchange(_ server: LoopbackServer, _ request: String) throws -> String {
  let client = try Client(server)
  client.send(request)
  return try client.readAll()
}

/// A request after which the client would keep its connection.
let keeping = "GET / HTTP/1.1\nHost: x\n\n"

/// Returns a complete request that ends its connection, so that `exchange` returns.
func get(_ target: String = "/", method: String = "GET") -> String {
  "\(method) \(target) HTTP/1.1\nHost: x\nConnection: close\n\n"
}
