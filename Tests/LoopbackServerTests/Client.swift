import LoopbackServer

/// The other end of a connection: writes what it is told, byte by byte if need be, and reads no more than it needs.
final class Client: Sendable {
  private let socket: Socket

  init(_ server: LoopbackServer) throws { socket = try Socket.connected(to: server.port) }

  /// Line ends are written as HTTP wants them.
  func send(_ lines: String) { socket.send(Array(lines.replacing("\n", with: "\r\n").utf8)) }

  func send(bytes: [UInt8]) { socket.send(bytes) }

  /// What has arrived next, one byte; nil when the server has closed its end or has cut the connection.
  func byte() -> UInt8? {
    var buffer: [UInt8] = [0]
    return socket.receive(into: &buffer).first
  }

  func read(_ count: Int) -> String {
    var bytes: [UInt8] = []
    while bytes.count < count, let byte = byte() { bytes.append(byte) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Everything until the server closes its end.
  func readAll() -> String { read(.max) }

  func endWriting() { socket.endWriting() }
  func close() { socket.close() }
}
