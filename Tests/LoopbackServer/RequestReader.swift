/// Reads requests from a connection, one after the other. It keeps data of the next request that have already arrived.
struct RequestReader {
  private let socket: Socket
  private let limits: Limits
  private var buffer = [UInt8](repeating: 0, count: 16_384)
  /// Data that have arrived and were not read.
  private var waiting: ArraySlice<UInt8> = []

  init(socket: Socket, limits: Limits) {
    self.socket = socket
    self.limits = limits
  }

  /// Returns the next request, and whether the client wants to keep the connection.
  mutating func next(connection: Int) throws(Refusal) -> (Request, keepsAlive: Bool) {
    var budget = limits.head
    let head = try RequestHead(readLines(&budget))
    let framing = try head.framing
    if case .length(let length) = framing, length > limits.body { throw .status(413) }
    if framing != .length(0) { try answerExpectation(head) }
    let body: [UInt8]
    switch framing {
    case .length(let length): body = try read(length)
    case .chunked: body = try readChunks(&budget)
    }
    let request = Request(
      method: head.method, target: head.target, headers: head.headers, body: body, connection: connection)
    return (request, head.keepsAlive)
  }

  private func answerExpectation(_ head: RequestHead) throws(Refusal) {
    guard let expectation = head.headers.value(of: "Expect") else { return }
    guard expectation.lowercased() == "100-continue" else { throw .status(417) }
    guard socket.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) else { throw .gone }
  }

  /// Returns the lines up to the next empty line. Empty lines before the first line are allowed, because some clients
  /// end a body with an empty line.
  private mutating func readLines(_ budget: inout Int, untilEmpty: Bool = false) throws(Refusal) -> [String] {
    var lines: [String] = []
    while true {
      let line = try readLine(&budget)
      if !line.isEmpty { lines.append(line) } else if untilEmpty || !lines.isEmpty { return lines }
    }
  }

  private mutating func readLine(_ budget: inout Int) throws(Refusal) -> String {
    var searched = 0
    while true {
      if let end = waiting.dropFirst(searched).firstIndex(of: UInt8(ascii: "\n")) {
        let line = waiting[..<end]
        waiting = waiting[(end + 1)...]
        budget -= line.count + 1
        guard budget >= 0 else { throw .status(431) }
        guard line.last == UInt8(ascii: "\r") else { throw .malformed }
        let text = line.dropLast()
        guard text.allSatisfy({ $0 >= 32 && $0 != 127 || $0 == 9 }) else { throw .malformed }
        return String(decoding: text, as: UTF8.self)
      }
      guard waiting.count <= budget else { throw .status(431) }
      searched = waiting.count
      try fill()
    }
  }

  private mutating func read(_ count: Int) throws(Refusal) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let part = waiting.prefix(count - bytes.count)
      bytes += part
      waiting = waiting.dropFirst(part.count)
      if bytes.count == count { return bytes }
      try fill()
    }
  }

  private mutating func readChunks(_ budget: inout Int) throws(Refusal) -> [UInt8] {
    var body: [UInt8] = []
    while true {
      // Each line has the budget of a head, because a body of many small chunks is not a large head.
      var lineBudget = limits.head
      let size = try readLine(&lineBudget).prefix { $0 != ";" }.trimmed
      guard let count = Int(digits: size, radix: 16) else { throw .malformed }
      if count == 0 { break }
      guard count <= limits.body - body.count else { throw .status(413) }
      body += try read(count)
      guard try read(2) == [13, 10] else { throw .malformed }
    }
    // Skips trailers, which no code reads.
    _ = try readLines(&budget, untilEmpty: true)
    return body
  }

  private mutating func fill() throws(Refusal) {
    guard let arrived = try? socket.receive(into: &buffer), !arrived.isEmpty else { throw .gone }
    waiting = waiting.isEmpty ? ArraySlice(Array(arrived)) : waiting + arrived
  }
}
